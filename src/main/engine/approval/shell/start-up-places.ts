/*
 * Where Windows and macOS keep what starts with the system, a session or a program of the user: absolute, or below the home folder. Compared in small letters, with `/`
 * between names.
 */

/** The system's own folders, programs everyone runs, scheduled tasks and what starts for every user. */
export const WINDOWS_SYSTEM =
  /^[a-z]:\/(?:windows\/|program files(?: \(x86\)| \(arm\))?\/|programdata\/(?:microsoft\/windows\/(?:start menu|task scheduler)\/|ssh\/|git\/|chocolatey\/|scoop\/)|autoexec\.(?:bat|nt)$|config\.(?:sys|nt)$|boot\.ini$|bootmgr$)/

const STARTUP_FOLDER = String.raw`appdata\/roaming\/microsoft\/windows\/start menu\/`
const POWERSHELL = String.raw`(?:onedrive[^/]*\/)?(?:documents|my documents)\/(?:windows)?powershell\/`
const OFFICE = String.raw`appdata\/roaming\/microsoft\/(?:word\/startup|excel\/xlstart|addins|templates|powershell|windows\/(?:powershell|sendto))\/`
const EDITORS = String.raw`appdata\/roaming\/(?:code(?: - insiders)?|cursor|vscodium)\/user\/|appdata\/local\/nvim\/|vimfiles\/|_(?:g?vimrc|netrc|curlrc|exrc)$`
const PROGRAMS = String.raw`appdata\/(?:roaming\/(?:npm|python|gnupg|pip|nushell|alacritty)|local\/(?:microsoft\/windowsapps|programs|clink|packages\/microsoft\.windowsterminal[^/]*\/localstate))\/`
const SETTINGS = String.raw`ntuser\.[^/]+$|\.wslconfig$|scoop\/(?:shims|apps)\/|pip\/pip\.ini$`

/** What starts at sign-in, the profiles of PowerShell, programs on PATH, and settings by which editors and Office run code. */
export const WINDOWS_HOME = new RegExp(`^(?:${[STARTUP_FOLDER, POWERSHELL, OFFICE, EDITORS, PROGRAMS, SETTINGS].join('|')})`)

/** Jobs of launchd and what starts for every user; `/private` in front is left out before. */
export const MAC_SYSTEM =
  /^\/(?:system\/|library\/(?:startupitems|scripts|security|privilegedhelpertools|extensions|preferences|managed preferences|input methods|quicklook|spotlight|internet plug-ins|services|workflows)\/|etc\/(?:launchd\.conf|rc\..*|periodic\/.*|newsyslog\.d\/.*|paths|paths\.d\/.*|emond\.d\/.*|auto_.*|defaults\/.*)$|usr\/(?:local|bin|sbin|lib|libexec)\/|opt\/homebrew\/|var\/db\/)/

/** Agents of launchd, sign-in items, keychains, services and scripts that programs run by themselves. */
export const MAC_HOME =
  /^(?:library\/(?:launchagents|launchdaemons|startupitems|keychains|scripts|services|workflows|input methods|quicklook|spotlight|internet plug-ins|preferences|application scripts|script libraries|screen savers|application support\/(?:com\.apple\.backgroundtaskmanagementagent|com\.apple\.tcc|iterm2|code|cursor|vscodium))\/|applications\/|\.zsh_sessions\/|\.hammerspoon\/|\.config\/(?:karabiner|iterm2|yabai|skhd)\/)/
