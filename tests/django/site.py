"""A Django admin with users and groups, in one file: `python site.py FOLDER PORT` serves it until it is ended."""

import os
import sys

import django
from django.conf import settings
from django.core.management import call_command

FOLDER, PORT = sys.argv[1], sys.argv[2]

settings.configure(
    DEBUG=True,
    SECRET_KEY="for tests alone",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF=__name__,
    STATIC_URL="/static/",
    USE_TZ=True,
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(FOLDER, "admin.sqlite3")}},
    INSTALLED_APPS=[
        "django.contrib.admin",
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django.contrib.messages",
        "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.auth.context_processors.auth",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
)
django.setup()

from django.contrib import admin  # noqa: E402
from django.contrib.auth.models import Group, User  # noqa: E402
from django.urls import path  # noqa: E402

urlpatterns = [path("admin/", admin.site.urls)]

if __name__ == "__main__":
    sys.modules["site_urls"] = sys.modules[__name__]
    settings.ROOT_URLCONF = "site_urls"
    call_command("migrate", verbosity=0)
    if not User.objects.exists():
        User.objects.create_superuser("ada", "ada@example.org", "correct horse")
        User.objects.bulk_create(User(username=f"user{at:03}", email=f"u{at}@example.org") for at in range(300))
        Group.objects.bulk_create(Group(name=f"Group {at}") for at in range(40))
    call_command("runserver", f"127.0.0.1:{PORT}", use_reloader=False, verbosity=0)
