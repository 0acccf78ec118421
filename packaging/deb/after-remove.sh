#!/bin/sh
# Runs as root after the package's files were removed, and before an upgrade unpacks new ones: only a removal cleans up. Data in ~/.trestle stays.
set -u
case "${1:-remove}" in
  remove | purge)
    case "$(readlink '/usr/bin/${executable}' 2>/dev/null)" in
      '/opt/${sanitizedProductName}/'*) rm -f '/usr/bin/${executable}' ;;
    esac
    profile='/etc/apparmor.d/${executable}'
    if [ -f "$profile" ]; then
      command -v apparmor_parser >/dev/null 2>&1 && apparmor_parser --remove "$profile" >/dev/null 2>&1
      rm -f "$profile"
    fi
    ;;
esac
exit 0
