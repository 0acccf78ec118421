#!/usr/bin/env bash
# Installs Trestle in the container of a task (Debian or Ubuntu). TRESTLE_REPOSITORY and TRESTLE_REF say where it comes from.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends build-essential ca-certificates curl git python3 xz-utils
machine=$(uname -m)
case "$machine" in
  x86_64) machine=x64 ;;
  aarch64) machine=arm64 ;;
esac
mkdir -p /opt/node /opt/trestle
curl -fsSL "https://nodejs.org/dist/v24.11.0/node-v24.11.0-linux-$machine.tar.xz" | tar -xJ -C /opt/node --strip-components=1
export PATH="/opt/node/bin:$PATH"
git clone -q "$TRESTLE_REPOSITORY" /opt/trestle
cd /opt/trestle
git checkout -q "$TRESTLE_REF"
npm install --no-audit --no-fund
npm run build
cat > /usr/local/bin/trestle <<'RUN'
#!/usr/bin/env bash
exec /opt/trestle/node_modules/.bin/node /opt/trestle/out/main/cli.js "$@"
RUN
chmod +x /usr/local/bin/trestle
