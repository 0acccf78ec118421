import type { Word } from '../shell-syntax'

/** Per program: the words that change something (Git Bash needs two slashes where Windows has one), and what that is. */
const CHANGES: Readonly<Record<string, readonly [words: RegExp, what: string]>> = Object.assign(Object.create(null), {
  schtasks: [/^\/{1,2}(?:create|change|run|delete)$/i, 'Sets up or removes a command that runs later by itself.'],
  reg: [/^(?:add|delete|import|copy|restore|load|unload|save)$/i, 'Changes the registry of Windows.'],
  regedit: [/./, 'Changes the registry of Windows.'],
  regini: [/./, 'Changes the registry of Windows.'],
  sc: [/^(?:create|config|delete|start|stop|failure|sdset|triggerinfo)$/i, 'Starts, stops or sets up services that run in the background.'],
  net: [/^(?:user|localgroup|group|start|stop|share|accounts|use)$/i, 'Changes accounts, shares or services of Windows.'],
  netsh: [/^(?:add|set|delete|reset|import|exec|-f)$/i, 'Changes network settings of Windows.'],
  bcdedit: [/^\/{1,2}(?!enum|v$|\?)/i, 'Changes how the computer starts.'],
  setx: [/./, 'Changes environment variables for all your programs.'],
  assoc: [/=/, 'Changes which program opens a kind of file.'],
  ftype: [/=/, 'Changes which program opens a kind of file.'],
  vssadmin: [/^(?:delete|resize)$/i, 'Removes restore points of Windows.'],
  wbadmin: [/^(?:delete|start|stop|disable|enable)$/i, 'Changes the backups of Windows.'],
  wevtutil: [/^(?:cl|clear-log|sl|set-log|um|im)$/i, 'Changes the event logs of Windows.'],
  fsutil: [/^(?:usn|file|volume|behavior|hardlink|reparsepoint|quota)$/i, 'Changes a file system of Windows.'],
  cipher: [/^\/{1,2}(?:w|e|d)/i, 'Encrypts files, or overwrites free space.'],
  takeown: [/./, 'Takes the ownership of files.'],
  icacls: [/^\/{1,2}(?:grant|deny|remove|setowner|reset|inheritance|restore|setintegritylevel)/i, 'Changes who may read or change files.'],
  format: [/^[a-z]:$/i, 'format destroys what is on a disk.'],
  wmic: [/^(?:call|create|delete|set|terminate)$/i, 'Changes the system through WMI.'],
  taskkill: [/./, 'Ends processes.'],
  tskill: [/./, 'Ends processes.'],
  logoff: [/^/, 'Ends your session.'],
  rundll32: [/./, 'Runs code of a library without showing it to you.'],
  regsvr32: [/./, 'Runs code of a library without showing it to you.'],
  mshta: [/./, 'Runs a script without showing it to you.'],
} satisfies Record<string, readonly [RegExp, string]>)

/** What changes Windows itself, or settings that hold outside of the project. */
export function dangerousWindows(program: string, rest: readonly Word[]): string | undefined {
  const [words, what] = CHANGES[program] ?? []
  if (!words) return undefined
  return rest.some(({ text, known }) => !known || words.test(text)) || (rest.length === 0 && words.test('')) ? what : undefined
}
