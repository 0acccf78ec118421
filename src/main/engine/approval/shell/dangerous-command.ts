import { tmpdir } from 'node:os'
import { realpathSync } from 'node:fs'
import { isWithin } from '../paths'
import type { Word } from './shell-syntax'
import { programOf } from './unwrap'

const DISK =
  /^(?:mkfs(?:\..*)?|mke2fs|wipefs|fdisk|sfdisk|cfdisk|gdisk|sgdisk|parted|diskpart|blkdiscard|hdparm|mkswap|shred|cryptsetup|badblocks|newfs.*|format\.com|pvremove|vgremove|lvremove)$/
const POWER = /^(?:shutdown|reboot|halt|poweroff|telinit|pm-(?:suspend|hibernate).*)$/
const SYSTEMCTL =
  /^(?:poweroff|reboot|halt|kexec|soft-reboot|suspend|hibernate|hybrid-sleep|suspend-then-hibernate|rescue|emergency|isolate)$/

/** A target of a command: the word, and the real paths it may mean (none when that is only known when it runs). */
export interface Target {
  word: Word
  paths: readonly string[]
}

/** Why a command asks in every mode, `auto` included, or undefined. */
export function dangerousCommand(words: readonly Word[], targets: readonly Target[]): string | undefined {
  const program = programOf(words).toLowerCase()
  const rest = words.slice(1)
  const has = (test: RegExp): boolean => rest.some((word) => test.test(word.text))
  if (program === 'rm') return removal(rest, targets)
  if (decidesTrust(rest)) return 'Whom to trust is decided by a person.'
  if (decidesServers(rest)) return 'Which MCP servers are used is decided by a person.'
  if (DISK.test(program) && !(rest.length === 1 && has(/^--(?:version|help)$|^-[lhV]$/))) return `${program} destroys what is on a disk.`
  if (program === 'diskutil' && has(/^(?:erase|partition|zero|secureErase|reformat|apfs)/i)) return 'diskutil can erase disks.'
  if (program === 'dd' && has(/^of=\/dev\/(?!null$|stdout$|fd\/|zero$)/)) return 'dd writes to a device.'
  if (POWER.test(program) || (program === 'init' && has(/^[06]$/))) return `${program} stops or restarts the computer.`
  if (program === 'systemctl' && has(SYSTEMCTL)) return 'systemctl stops or restarts the computer.'
  if (program === 'kill' && has(/^-1$/) && rest.at(-1)?.text === '-1' && rest.length > 1) return 'kill -1 ends every process of yours.'
  return program === 'git' ? push(rest) : undefined
}

/** `trestle permission trust`, however the program is called. */
function decidesTrust(rest: readonly Word[]): boolean {
  const at = rest.findIndex((word) => word.text === 'permission')
  return at >= 0 && rest.slice(at + 1).some((word) => /^(?:un)?trust$/.test(word.text) || (!word.known && rest.length < 8))
}

/** `trestle mcp add` and its like, however the program is called: what is added there is run later without a question. */
function decidesServers(rest: readonly Word[]): boolean {
  const at = rest.findIndex((word) => word.text === 'mcp')
  const action = at < 0 ? undefined : rest.slice(at + 1).find((word) => !word.text.startsWith('-'))
  return action !== undefined && /^(?:add|import|remove|enable|disable|call|login|logout)$/.test(action.text)
}

/** Recursive and forced, and not only in folders for temporary files. */
function removal(rest: readonly Word[], targets: readonly Target[]): string | undefined {
  const end = rest.findIndex((word) => word.text === '--')
  const options = (end < 0 ? rest : rest.slice(0, end)).filter(
    (word) => word.text.startsWith('-') || (!word.known && !word.glob && !targets.some((target) => target.word === word)),
  )
  const said = (short: RegExp, long: string): boolean =>
    options.some(({ text }) =>
      text.startsWith('--') ? text.length > 3 && long.startsWith(text) : text.startsWith('-') && short.test(text),
    )
  if (!said(/[rR]/, '--recursive') || !said(/f/, '--force')) return undefined
  const folders = temporaryFolders()
  const outside = targets.find(
    ({ paths }) => paths.length === 0 || !paths.every((path) => folders.some((folder) => path !== folder && isWithin(path, folder))),
  )
  if (!outside) return undefined
  return `It removes ${outside.word.text} with everything in it, without asking, and that is not a temporary folder.`
}

function temporaryFolders(): string[] {
  return ['/tmp', '/var/tmp', '/private/tmp', tmpdir()].map((folder) => {
    try {
      return realpathSync(folder)
    } catch {
      return folder
    }
  })
}

/** Pushes that rewrite or remove what others have. */
function push(rest: readonly Word[]): string | undefined {
  const at = rest.findIndex((word) => word.text === 'push')
  if (
    at < 0 ||
    rest
      .slice(0, at)
      .some(
        (word, index) => !word.text.startsWith('-') && !/^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(rest[index - 1]?.text ?? ''),
      )
  )
    return undefined
  const found = rest
    .slice(at + 1)
    .find(
      ({ text }) =>
        /^-[a-zA-Z]*[fd]/.test(text) ||
        /^\+./.test(text) ||
        /^:./.test(text) ||
        (/^--[a-z]{2}/.test(text) &&
          ['--force', '--force-with-lease', '--force-if-includes', '--mirror', '--delete', '--prune'].some((long) =>
            long.startsWith(text.split('=')[0]!),
          )),
    )
  return found && `git push ${found.text} rewrites or removes what is on the server.`
}
