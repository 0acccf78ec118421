import { homedir } from 'node:os'
import { type PathFlavor, SYSTEM_PATHS } from '../../workspace/path/path-flavor'

/*
 * Where Windows and macOS keep things that start with the system, a session or one of the user's programs: absolute, or
 * below the home folder. Compared in lower case, with `/` between names.
 */

/** The system's own folders, programs that every user runs, scheduled tasks, and items that start for every user. */
const WINDOWS_SYSTEM =
  /^[a-z]:\/(?:windows\/|program files(?: \(x86\)| \(arm\))?\/|programdata\/(?:microsoft\/windows\/(?:start menu|task scheduler)\/|ssh\/|git\/|chocolatey\/|scoop\/)|autoexec\.(?:bat|nt)$|config\.(?:sys|nt)$|boot\.ini$|bootmgr$)/

const STARTUP_FOLDER = String.raw`appdata\/roaming\/microsoft\/windows\/start menu\/`
const POWERSHELL = String.raw`(?:onedrive[^/]*\/)?(?:documents|my documents)\/(?:windows)?powershell\/`
const OFFICE = String.raw`appdata\/roaming\/microsoft\/(?:word\/startup|excel\/xlstart|addins|templates|powershell|windows\/(?:powershell|sendto))\/`
const EDITORS = String.raw`appdata\/roaming\/(?:code(?: - insiders)?|cursor|vscodium)\/user\/|appdata\/local\/nvim\/|vimfiles\/|_(?:g?vimrc|netrc|curlrc|exrc)$`
const PROGRAMS = String.raw`appdata\/(?:roaming\/(?:npm|python|gnupg|pip|nushell|alacritty)|local\/(?:microsoft\/windowsapps|programs|clink|packages\/microsoft\.windowsterminal[^/]*\/localstate))\/`
const SETTINGS = String.raw`ntuser\.[^/]+$|\.wslconfig$|scoop\/(?:shims|apps)\/|pip\/pip\.ini$`

/**
 * Items that start at sign-in, PowerShell profiles, programs on PATH, and settings that make editors and Office run
 * code.
 */
const WINDOWS_HOME = new RegExp(`^(?:${[STARTUP_FOLDER, POWERSHELL, OFFICE, EDITORS, PROGRAMS, SETTINGS].join('|')})`)

/** launchd jobs and items that start for every user; a leading `/private` is removed first. */
const MAC_SYSTEM =
  /^\/(?:system\/|library\/(?:startupitems|scripts|security|privilegedhelpertools|extensions|preferences|managed preferences|input methods|quicklook|spotlight|internet plug-ins|services|workflows)\/|etc\/(?:launchd\.conf|rc\..*|periodic\/.*|newsyslog\.d\/.*|paths|paths\.d\/.*|emond\.d\/.*|auto_.*|defaults\/.*)$|usr\/(?:local|bin|sbin|lib|libexec)\/|opt\/homebrew\/|var\/db\/)/

/** launchd agents, sign-in items, keychains, services and scripts that programs run automatically. */
const MAC_HOME =
  /^(?:library\/(?:launchagents|launchdaemons|startupitems|keychains|scripts|services|workflows|input methods|quicklook|spotlight|internet plug-ins|preferences|application scripts|script libraries|screen savers|application support\/(?:com\.apple\.backgroundtaskmanagementagent|com\.apple\.tcc|iterm2|code|cursor|vscodium))\/|applications\/|\.zsh_sessions\/|\.hammerspoon\/|\.config\/(?:karabiner|iterm2|yabai|skhd)\/)/

const START_UP =
  `.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout
  .kshrc .cshrc .tcshrc .login .inputrc .xprofile .xinitrc .xsession .xsessionrc .envrc .gitconfig .pam_environment
  .vimrc .gvimrc .exrc .nanorc .emacs .npmrc .yarnrc .pypirc .netrc .curlrc .wgetrc .condarc .gemrc .pythonrc .irbrc
  .psqlrc .tmux.conf .screenrc .rhosts .forward authorized_keys`.split(/\s+/)
/** Names of files in the home folder that are run or read when a program starts. */
export const STARTS_IN_HOME: readonly string[] = START_UP
const START_UP_NAMES = new Set(START_UP)
/** These are protected only in the home folder; a project can have its own. */
const PROJECTS_TOO = new Set('.npmrc .yarnrc .condarc .gemrc'.split(' '))
/** Folders whose contents are run or read by other programs. */
const FOLDERS: Readonly<Record<string, string>> = {
  '.git': "part of git's own files (.git), hooks among them",
  '.trestle': "part of Trestle's own configuration",
  '.ssh': 'part of your keys and hosts for ssh',
  '.vscode': 'a setting of the editor, which can make it run programs',
  '.idea': 'a setting of the editor, which can make it run programs',
  '.husky': 'a hook that git runs',
  '.gnupg': 'part of your keys',
  '.devcontainer': 'a setting of the editor, which can make it run programs',
  ...Object.fromEntries(
    ['.claude', '.codex', '.cursor', '.gemini', '.kiro', '.windsurf', '.zed'].map((name) => [
      name,
      'a setting of another agent or editor, which can make it run programs',
    ]),
  ),
}
/** What Git hook managers run on commit, and the settings and tasks files of VS Code. */
const RUN_BY_OTHERS =
  /^(?:\.pre-commit-config\.ya?ml|\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.overcommit\.yml|.*\.code-workspace)$/
/** What CI servers run after a push. */
const BUILD_JOBS =
  /\/(?:\.github\/(?:workflows|actions)\/.+|\.gitlab-ci\.yml|\.circleci\/.+|\.buildkite\/.+|\.travis\.yml|azure-pipelines\.yml|jenkinsfile|\.drone\.yml|bitbucket-pipelines\.yml)$/
const IN_HOME =
  /^(?:\.config\/(?:fish\/|git\/|autostart\/|systemd\/|environment\.d\/|nvim\/|code\/user\/|cursor\/user\/|zed\/|helix\/|pip\/|plasma-workspace\/)|\.local\/share\/(?:systemd|applications)\/|\.local\/bin\/|bin\/|library\/(?:launchagents|application support\/(?:code|cursor)\/user)\/|\.vim\/|\.emacs\.d\/|\.aws\/|\.kube\/|\.docker\/config\.json$|\.cargo\/(?:config|credentials|env)|\.m2\/settings|\.gradle\/(?:init|gradle\.properties)|\.oh-my-zsh\/)/
const SYSTEM =
  /^\/(?:etc\/(?:profile|profile\.d\/.*|bash\.bashrc|bashrc|bash\.bash_logout|zsh\/.*|zshrc|zshenv|zprofile|environment|inputrc|gitconfig|ld\.so\..*|sudoers.*|passwd|shadow|group|hosts|crontab|anacrontab|cron\..*|at\.(?:allow|deny)|systemd\/.*|init\.d\/.*|rc\.local|xdg\/autostart\/.*|pam\.d\/.*|ssh\/.*|udev\/.*|modprobe\.d\/.*|sysctl.*)|var\/spool\/(?:cron|at|anacron)(?:\/.*)?|var\/at\/.*|library\/launch(?:agents|daemons)\/.*|(?:usr\/)?lib\/systemd\/.*)$/

const WITHIN_HOME: Readonly<Record<PathFlavor['platform'], RegExp | undefined>> = {
  linux: undefined,
  darwin: MAC_HOME,
  win32: WINDOWS_HOME,
}
const OF_SYSTEM: Readonly<Record<PathFlavor['platform'], RegExp | undefined>> = {
  linux: undefined,
  darwin: MAC_SYSTEM,
  win32: WINDOWS_SYSTEM,
}

/**
 * Why a change to the file at this absolute path asks in every mode: it makes other programs run something later,
 * unnoticed.
 */
export function protectedPath(path: string, home = homedir(), paths: PathFlavor = SYSTEM_PATHS): string | undefined {
  const folded = foldName(paths.comparable(path))
  const parts = folded.split(/[\\/]+/)
  const name = parts.at(-1) ?? ''
  if (SYSTEM.test(folded) || OF_SYSTEM[paths.platform]?.test(folded))
    return 'a start-up file of the shell or the system'
  const folderOfUser = `${foldName(paths.comparable(home)).replace(/\/$/, '')}/`
  const way = folded.startsWith(folderOfUser) ? folded.slice(folderOfUser.length) : undefined
  const isStartUp = START_UP_NAMES.has(name) && (!PROJECTS_TOO.has(name) || way === name)
  if (isStartUp || (way !== undefined && (IN_HOME.test(way) || WITHIN_HOME[paths.platform]?.test(way))))
    return 'a start-up or configuration file that other programs run'
  const folder = parts.find((part) => Object.hasOwn(FOLDERS, part))
  if (folder !== undefined) return FOLDERS[folder]
  if (RUN_BY_OTHERS.test(name)) return 'what git or the editor runs'
  if (BUILD_JOBS.test(folded)) return 'a job that the build server runs, with its secrets'
  if (name === '.mcp.json') return 'the list of MCP servers that start with the project'
  if (folded.startsWith('//./')) return 'a device'
  if (/^\/dev\/(?!null$|zero$|full$|tty$|stdin$|stdout$|stderr$|fd\/|shm\/|pts\/|ptmx$|random$|urandom$)/.test(folded))
    return 'a device'
  return undefined
}

/** Folders that are partly protected. */
const BUILD_FOLDERS = /\/(?:\.github(?:\/(?:workflows|actions))?|\.circleci|\.buildkite)$/

/** Why removing or replacing the whole folder at this absolute path asks in every mode. */
export function protectedFolder(path: string, paths: PathFlavor = SYSTEM_PATHS): string | undefined {
  const folded = foldName(paths.comparable(path)).replaceAll('\\', '/')
  return BUILD_FOLDERS.test(folded) ? 'where the jobs that the build server runs with its secrets are' : undefined
}

/**
 * Names are compared as on the most permissive file system: case, compatibility forms and invisible characters do not
 * count.
 */
function foldName(path: string): string {
  return path
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
}

/** Distinctive prefixes of protected names, for words with wildcards and variables. */
const NAMES = [...START_UP, ...Object.keys(FOLDERS), '.mcp.json']

/**
 * The same for a word whose value is known only at run time, such as `$HOME/.bashrc`, `~/.b*` or `.gi?/hooks`. `texts`:
 * the values that the same command assigns to variables.
 */
export function looksProtected(source: string, texts: ReadonlyMap<string, string> = new Map()): boolean {
  const expanded = source.replace(
    /\$(?:(\w+)|\{(\w+)\})/g,
    (all, bare?: string, braced?: string) => texts.get(bare ?? braced ?? '') ?? all,
  )
  const words = expandBraces(expanded.replace(/["'\\]/g, '').toLowerCase())
  return words.some((word) => word.split('/').some((part) => NAMES.some((name) => mayBecome(part, name))))
}

/** The words that brace expansion produces from one word: `.{a,b}` becomes `.a` and `.b`. Only the first few. */
function expandBraces(word: string): string[] {
  const words = [word]
  for (let at = 0; at < words.length && words.length < 64; at += 1) {
    const [, before, choices, after] = /^([^{}]*)(?<!\$)\{([^{}]*)\}(.*)$/s.exec(words[at]!) ?? []
    if (choices?.includes(',')) words.push(...choices.split(',').map((choice) => `${before}${choice}${after}`))
  }
  return words
}

/**
 * Whether wildcards and variables in a path segment can match this name. A segment with fewer than two literal
 * characters is too vague to count.
 */
function mayBecome(part: string, name: string): boolean {
  const pieces = part.split(/\$\w+|\$[({][^)}]*[)}]?|[*?]|\[[^\]]*\]/)
  if (pieces.length === 1) return part === name
  const fixed = pieces.join('')
  if (fixed.length < 2 || !name.startsWith(pieces[0]!) || !name.endsWith(pieces.at(-1)!)) return false
  let at = 0
  for (const piece of pieces) {
    const found = name.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return true
}
