#!/bin/sh
# Runs as root after the package was unpacked. electron-builder fills in the names.
set -u
app='/opt/${sanitizedProductName}'
shim="$app/resources/bin/trestle"

# `trestle` is the command line; the window opens from the desktop entry. Older packages linked the window's program here.
target="$shim"
[ -x "$shim" ] || target="$app/${executable}"
ln -sfn "$target" '/usr/bin/${executable}'

# Chromium's sandbox uses user namespaces where an ordinary user may make them, and a setuid program elsewhere.
if su -s /bin/sh nobody -c 'unshare --user true' >/dev/null 2>&1; then
  chmod 0755 "$app/chrome-sandbox"
else
  chown root:root "$app/chrome-sandbox" && chmod 4755 "$app/chrome-sandbox"
fi

# Ubuntu 24.04 and later allow user namespaces only to programs with an AppArmor profile. Older versions cannot read it and do not need it.
profile='/etc/apparmor.d/${executable}'
if command -v apparmor_parser >/dev/null 2>&1 && apparmor_parser --skip-kernel-load "$app/resources/apparmor-profile" >/dev/null 2>&1; then
  cp -f "$app/resources/apparmor-profile" "$profile"
  apparmor_parser --replace "$profile" >/dev/null 2>&1 || true
fi

for update in 'update-mime-database /usr/share/mime' 'update-desktop-database /usr/share/applications' 'gtk-update-icon-cache -q /usr/share/icons/hicolor'; do
  command -v "${update%% *}" >/dev/null 2>&1 && $update >/dev/null 2>&1
done
exit 0
