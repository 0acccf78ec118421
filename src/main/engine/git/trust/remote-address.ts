import type { Setting } from './parse-settings'

/**
 * Addresses that git reaches over a network, without other programs. A path is not one of them: git starts the hooks of
 * the repository there. `ext::` and others name programs.
 */
const ADDRESS = /^(?:https?|git|ssh|git\+ssh|ssh\+git):\/\/(?!-)[A-Za-z0-9._~%:[\]+,=@!$&'()*-]+(?:\/[^\s"\\#;]*)?$/i
/** `user@host:path`. Without a user, one letter is a drive on Windows. */
const SHORT_ADDRESS = /^(?:[A-Za-z0-9._+~-]+@)?(?!-)(?:[A-Za-z0-9._-]{2,}|\[[0-9A-Fa-f:.]+\]):(?!:|\/\/)[^\s"\\#;]*$/
const START = /^[^:/]*@-|^-|:\/\/(?:[^/]*@)?-/

/** Whether fetching from and pushing to an address runs nothing. */
export function isNetworkAddress(address: string): boolean {
  return !START.test(address) && (ADDRESS.test(address) || SHORT_ADDRESS.test(address))
}

const URL = /^remote\.([^]*)\.(?:url|pushurl)$/
const OF_REMOTE = /^remote\.([^]*)\.[^.]+$/
/** Settings whose value is the name of a remote, or else an address. */
const NAME = /^(?:branch\.[^]*\.(?:remote|pushremote)|remote\.pushdefault|checkout\.defaultremote)$/

/** What of the settings leads git to a folder or to another program when it fetches or pushes; a line each. */
export function unusualRemotes(settings: readonly Setting[]): string[] {
  const lines: string[] = []
  const named = new Set(settings.flatMap(({ key }) => (key.endsWith('.url') ? (URL.exec(key)?.[1] ?? []) : [])))
  for (const { key, value } of settings) {
    const remote = OF_REMOTE.exec(key)?.[1]
    if (URL.test(key) || key === 'lfs.url') {
      if (!isNetworkAddress(value)) lines.push(`setting ${key} = ${value}, which is no network address`)
    } else if (remote !== undefined && !named.has(remote))
      lines.push(`setting ${key} = ${value}: git takes ${remote} as the address of a remote`)
    else if (NAME.test(key) && value !== '.' && !named.has(value))
      lines.push(`setting ${key} = ${value}, which is no remote that is set up`)
  }
  return lines
}
