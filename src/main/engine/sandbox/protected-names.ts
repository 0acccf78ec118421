import { relative, sep } from 'node:path'
import { RESERVED_FILES, RESERVED_FOLDERS } from '../workspace/file/reserved-file'
import { isWithin } from '../workspace/path/real-path'

/**
 * Names that Project commands cannot change or create in a project, because other programs later run or obey them
 * outside the sandbox: git hooks, settings of Trestle, editors and their agents.
 */
export const PROTECTED_NAMES: readonly string[] = [
  '.git/hooks',
  '.git/config',
  '.trestle',
  '.mcp.json',
  '.vscode',
  '.idea',
  '.husky',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.kiro',
  '.windsurf',
  '.zed',
  '.devcontainer',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  '.lefthook.yml',
  '.github/workflows',
  '.github/actions',
  '.gitlab-ci.yml',
  '.circleci',
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
]

/**
 * Names that get a placeholder if they do not exist: an empty folder, which git ignores, so that the name cannot be
 * taken.
 */
export const RESERVED_NAMES: readonly string[] = ['.git/hooks', ...RESERVED_FOLDERS, ...RESERVED_FILES]

/** Protected anywhere in a project if they already exist. */
export const PROTECTED_ANYWHERE: ReadonlySet<string> = new Set(['.trestle', '.mcp.json', '.vscode', '.husky', '.envrc'])

/**
 * Where programs keep the user's credentials, relative to the home. Always hidden from commands, even if a project
 * contains them.
 */
export const CREDENTIALS: readonly string[] = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.gcp',
  '.config/gcloud',
  '.config/gh',
  '.config/hub',
  '.config/glab-cli',
  '.config/op',
  '.config/doctl',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.config/rclone',
  '.config/sops',
  '.mozilla',
  '.kube',
  '.docker',
  '.netrc',
  '.git-credentials',
  '.config/git/credentials',
  '.pypirc',
  '.password-store',
  '.local/share/keyrings',
  '.cargo/credentials',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.m2/settings.xml',
  '.m2/settings-security.xml',
  '.gradle/gradle.properties',
  '.terraform.d',
  '.vault-token',
  '.pgpass',
  '.my.cnf',
  '.Xauthority',
  '.ICEauthority',
  '.bash_history',
  '.zsh_history',
  '.python_history',
  '.node_repl_history',
  '.psql_history',
  '.mysql_history',
  '.lesshst',
  '.cache/google-chrome',
  '.cache/chromium',
  '.cache/BraveSoftware',
  '.cache/mozilla',
  '.cache/thunderbird',
  '.cache/evolution',
  '.cache/ibus',
]

const CREDENTIAL_NAMES = new Set(CREDENTIALS.map((name) => name.toLowerCase()))
const MAX_PARTS = Math.max(...CREDENTIALS.map((name) => name.split('/').length))

/** Whether a path is, or is inside, one of the user's credentials. `userHome`: the real path of their home. */
export function isCredential(path: string, userHome: string): boolean {
  if (!path.startsWith(userHome) || !isWithin(path, userHome)) return false
  const parts = relative(userHome, path).toLowerCase().split(sep, MAX_PARTS)
  return parts.some((_, last) => CREDENTIAL_NAMES.has(parts.slice(0, last + 1).join('/')))
}

/** Files that take effect at login or program start, relative to the home: protected if a project contains them. */
export const START_UP_FILES: readonly string[] = [
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.kshrc',
  '.inputrc',
  '.xprofile',
  '.xinitrc',
  '.xsession',
  '.gitconfig',
  '.npmrc',
  '.config/fish',
  '.config/git',
  '.config/autostart',
  '.config/systemd',
  '.config/environment.d',
  '.config/Code',
  '.config/Cursor',
  '.config/zed',
  '.local/bin',
  '.local/share/applications',
]

/** System files with secrets that root can read, or every user on a misconfigured machine. */
export const SYSTEM_SECRETS: readonly string[] = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/security/opasswd',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
  '/etc/wireguard',
  '/etc/munge',
  '/etc/NetworkManager/system-connections',
  '/etc/kubernetes',
  '/etc/rancher',
]
