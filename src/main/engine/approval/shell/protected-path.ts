import { homedir } from 'node:os'
import { relative } from 'node:path'

const START_UP =
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|cshrc|tcshrc|login|inputrc|xprofile|xinitrc|xsession|envrc|gitconfig)$/
const SYSTEM_START_UP =
  /^\/etc\/(?:profile|profile\.d\/.*|bash\.bashrc|bashrc|bash\.bash_logout|zsh\/.*|zshrc|zshenv|zprofile|environment|inputrc|gitconfig|ld\.so\.preload)$/

/** Why a change to the file at this absolute path asks in every mode: what it makes others run, later and unseen. */
export function protectedPath(path: string, home = homedir()): string | undefined {
  const folded = path
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .toLowerCase()
  const parts = folded.split(/[\\/]+/)
  const name = parts.at(-1) ?? ''
  if (SYSTEM_START_UP.test(folded)) return 'a start-up file of the shell or the system'
  const way = relative(home.toLowerCase(), folded)
  if (START_UP.test(name) || /^\.config\/(?:fish\/|git\/|autostart\/|systemd\/user\/|environment\.d\/)/.test(way))
    return 'a start-up or configuration file that other programs run'
  if (parts.includes('.git') || /^(?:.*\/)?\.git$/.test(folded)) return "part of git's own files (.git), hooks among them"
  if (parts.includes('.trestle')) return "part of Trestle's own configuration"
  if (/^\/dev\/(?!null$|zero$|full$|tty$|stdin$|stdout$|stderr$|fd\/|shm\/|pts\/|ptmx$|random$|urandom$)/.test(folded)) return 'a device'
  return undefined
}

/** The same for a word whose meaning is only known when the command runs, as `$HOME/.bashrc`. */
export function looksProtected(source: string): boolean {
  return source.split(/[\\/]+/).some((part) => {
    const name = part.replace(/["'{}]/g, '').toLowerCase()
    return START_UP.test(name) || name === '.git' || name === '.trestle'
  })
}
