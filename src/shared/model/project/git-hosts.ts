/** The hosts whose pages for creating a pull request are known. */
export type GitHostKind = 'github' | 'gitlab' | 'bitbucket' | 'gitea' | 'azure'

/** The web address of a remote's repository. */
export interface GitHostRepository {
  kind: GitHostKind
  host: string
  /** Owner and name, without `.git`. */
  path: string
}

/** Parses the address of a remote: `https://…`, `ssh://…` or `git@host:path`. Undefined for an unknown host. */
export function hostOfRemote(address: string): GitHostRepository | undefined {
  const found =
    /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([^/:]+)(?::\d+)?\/(.+?)\/?$/.exec(address) ??
    /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)(.+?)\/?$/.exec(address)
  if (!found) return undefined
  const host = found[1]!.toLowerCase()
  const path = found[2]!.replace(/^\/+/, '').replace(/\.git$/, '')
  if (host === 'ssh.dev.azure.com' || host === 'dev.azure.com' || host.endsWith('.visualstudio.com')) {
    const parts = /^(?:v3\/)?([^/]+)\/([^/]+)\/(?:_git\/)?([^/]+)$/.exec(path)
    return parts
      ? { kind: 'azure', host: 'dev.azure.com', path: `${parts[1]}/${parts[2]}/_git/${parts[3]}` }
      : undefined
  }
  if (!path.includes('/')) return undefined
  const kind = kindOf(host)
  return kind && { kind, host, path }
}

function kindOf(host: string): GitHostKind | undefined {
  if (host === 'github.com' || host.startsWith('github.')) return 'github'
  if (host === 'bitbucket.org') return 'bitbucket'
  if (host === 'codeberg.org' || /^(?:gitea|forgejo|codeberg)\./.test(host)) return 'gitea'
  if (host === 'gitlab.com' || host.startsWith('gitlab.')) return 'gitlab'
  return undefined
}

/** The page for creating a pull request of `branch` into `base`. */
export function comparePage({ kind, host, path }: GitHostRepository, branch: string, base: string): string {
  const at = `https://${host}/${path.split('/').map(encodeURIComponent).join('/')}`
  const [from, into] = [branch, base].map((name) => name.split('/').map(encodeURIComponent).join('/'))
  const [source, target] = [branch, base].map(encodeURIComponent)
  switch (kind) {
    case 'github':
      return `${at}/compare/${into}...${from}?expand=1`
    case 'gitea':
      return `${at}/compare/${into}...${from}`
    case 'gitlab':
      return (
        `${at}/-/merge_requests/new?merge_request%5Bsource_branch%5D=${source}` +
        `&merge_request%5Btarget_branch%5D=${target}`
      )
    case 'bitbucket':
      return `${at}/pull-requests/new?source=${source}&dest=${target}`
    default:
      return `${at}/pullrequestcreate?sourceRef=${source}&targetRef=${target}`
  }
}
