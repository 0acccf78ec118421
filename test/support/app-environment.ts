/**
 * Variables that a program needs in order to start, and to access the display, the session bus and the user's folders,
 * on each system.
 */
const NEEDED = [
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP)$/i,
  /^(?:DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_SESSION_BUS_ADDRESS|XDG_\w+)$/,
  /^(?:SYSTEMROOT|SYSTEMDRIVE|WINDIR|COMSPEC|PATHEXT|USERPROFILE|USERNAME|HOMEDRIVE|HOMEPATH|APPDATA|LOCALAPPDATA|PROGRAMDATA|PROGRAMFILES(?:\(X86\))?|PROGRAMW6432|NUMBER_OF_PROCESSORS|PROCESSOR_ARCHITECTURE)$/i,
]

/**
 * The environment for a started app: only the variables that it needs, so that it gets no key of the tester, and those
 * that the test sets.
 */
export function appEnvironment(env: NodeJS.ProcessEnv, own: Record<string, string>): Record<string, string> {
  const kept = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && NEEDED.some((name) => name.test(entry[0])),
  )
  return { ...Object.fromEntries(kept), ...own }
}

/** Path of Electron's program in a folder of its release. */
export function electronProgram(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin') return ['Electron.app', 'Contents', 'MacOS', 'Electron']
  return [platform === 'win32' ? 'electron.exe' : 'electron']
}
