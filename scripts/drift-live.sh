#!/bin/bash
# Brings the applications of tests/drift in both versions into target/drift-live, each in an environment of its own, and
# measures: `scripts/drift-live.sh [--write]`. What is there already is not brought again.
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD/target/drift-live
mkdir -p "$home"

# A Python environment with these packages.
python() {
  local name=$1
  shift
  [ -e "$home/$name/.done" ] && return
  echo "bringing $name: $*" >&2
  rm -rf "${home:?}/$name"
  python3 -m venv "$home/$name"
  "$home/$name/bin/pip" install --quiet --disable-pip-version-check "$@"
  touch "$home/$name/.done"
}

# Swagger UI's files, showing the petstore of tests/drift.
swagger() {
  local name=$1 version=$2
  [ -e "$home/$name/.done" ] && return
  echo "bringing $name: swagger-ui-dist@$version" >&2
  rm -rf "${home:?}/$name"
  mkdir -p "$home/$name"
  (cd "$home/$name" && tar xzf "$(npm pack --silent "swagger-ui-dist@$version")")
  cp tests/drift/swagger_petstore.json "$home/$name/package/petstore.json"
  sed -i 's#https://petstore.swagger.io/v2/swagger.json#petstore.json#' "$home/$name"/package/{index.html,swagger-initializer.js} 2>/dev/null || true
  touch "$home/$name/.done"
}

python django-old 'Django==3.2.25'
python django-new 'Django==5.2.19'
python flask-old 'Flask-Admin==1.5.8' 'flask<2.3' 'werkzeug<2.3' 'jinja2<3.1' 'markupsafe<2.1' 'sqlalchemy<2' 'flask-sqlalchemy<3' 'wtforms<3' setuptools
python flask-new 'Flask-Admin==2.0.0' 'flask-sqlalchemy' 'sqlalchemy'
python datasette-old 'datasette==0.64.8' 'setuptools<81'
python datasette-new 'datasette==1.0a19' 'setuptools<81'
swagger swagger-old 3.52.5
swagger swagger-new 5.29.0

cargo build --quiet --package cairn-host --bin cairn --package cairn-tests --bin drift_live
exec target/debug/drift_live "$@"
