"""Django's own admin over a database of its own: `django_site.py PORT DATABASE`. Its administrator is ada."""

import sys

import django
from django.conf import settings
from django.core.management import call_command

PORT, DATABASE = sys.argv[1:3]
PARTS = ["admin", "auth", "contenttypes", "sessions", "messages", "staticfiles"]
MIDDLE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
CONTEXT = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
    "django.contrib.messages.context_processors.messages",
]
settings.configure(
    DEBUG=True,
    SECRET_KEY="of no use elsewhere",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": DATABASE}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[f"django.contrib.{part}" for part in PARTS],
    MIDDLEWARE=MIDDLE,
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": CONTEXT},
        }
    ],
    STATIC_URL="/static/",
    USE_TZ=True,
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    if not User.objects.filter(username="ada").exists():
        User.objects.create_superuser("ada", "ada@example.org", "anchor-and-chain-7")
        User.objects.create_user("bob", "bob@example.org", "no-matter-what-8")
    sys.modules["django_site"] = sys.modules[__name__]
    call_command("runserver", f"127.0.0.1:{PORT}", "--noreload", verbosity=0)
