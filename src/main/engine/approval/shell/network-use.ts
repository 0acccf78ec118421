import type { Word } from '../../permission/shell-syntax'
import { programOf } from './unwrap'

/** What a command connects to. `unknown`: to other hosts as well, or the hosts are known only at run time. */
export interface NetworkUse {
  /** Lower case, without a port. */
  hosts: string[]
  unknown: boolean
}

/**
 * Hosts that a package manager fetches from by default, and the first words that make it do so. Commands that fetch
 * only programs that are not installed (npx, uv run) are left out: usually the programs are installed, and otherwise
 * the sandbox decides.
 */
interface Registry {
  hosts: readonly string[]
  commands: RegExp
}

const NPM: Registry = {
  hosts: ['registry.npmjs.org'],
  commands:
    /^(?:i|in|ins|install|install-test|it|ci|clean-install|add|update|up|upgrade|dlx|exec|x|create|init|view|info|show|outdated|audit|publish|unpublish|search|login|logout|whoami|dedupe|deprecate|dist-tag|access|owner|team|token|ping|fund|set|self-update|why-not)$/,
}
const PYPI = ['pypi.org', 'files.pythonhosted.org']
const MAVEN = ['repo.maven.apache.org', 'repo1.maven.org']
const REGISTRIES: Readonly<Record<string, Registry>> = Object.assign(Object.create(null), {
  npm: NPM,
  pnpm: NPM,
  yarn: {
    hosts: ['registry.yarnpkg.com', 'registry.npmjs.org'],
    commands: /^(?:|install|add|up|upgrade|dlx|create|info|outdated|audit|publish|npm|set|global|import)$/,
  },
  bun: { hosts: NPM.hosts, commands: /^(?:i|install|add|update|x|create|outdated|publish|upgrade|pm)$/ },
  corepack: { hosts: [...NPM.hosts, 'repo.yarnpkg.com'], commands: /^(?:prepare|install|use|up|pack|enable)$/ },
  pip: { hosts: PYPI, commands: /^(?:install|download|wheel|index|search)$/ },
  pipx: { hosts: PYPI, commands: /^(?:install|upgrade|upgrade-all|run|inject|reinstall)$/ },
  uv: { hosts: PYPI, commands: /^(?:add|sync|lock|pip|tool|python|publish|self|remove)$/ },
  uvx: { hosts: PYPI, commands: /^/ },
  poetry: { hosts: PYPI, commands: /^(?:install|add|update|lock|publish|self|search|sync)$/ },
  pdm: { hosts: PYPI, commands: /^(?:install|add|update|lock|publish|sync)$/ },
  pipenv: { hosts: PYPI, commands: /^(?:install|update|lock|sync|upgrade)$/ },
  conda: { hosts: ['repo.anaconda.com', 'conda.anaconda.org'], commands: /^(?:install|create|update|search|env)$/ },
  cargo: {
    hosts: ['index.crates.io', 'static.crates.io', 'crates.io'],
    commands: /^(?:install|add|update|fetch|search|publish|yank|owner|login|binstall|generate-lockfile|vendor)$/,
  },
  rustup: { hosts: ['static.rust-lang.org'], commands: /^(?:update|install|toolchain|component|target|self)$/ },
  go: { hosts: ['proxy.golang.org', 'sum.golang.org'], commands: /^(?:get|install|mod|work)$/ },
  mvn: { hosts: MAVEN, commands: /^(?:install|deploy|.*dependency.*|.*versions.*)$/ },
  gradle: {
    hosts: ['services.gradle.org', 'plugins.gradle.org', ...MAVEN],
    commands: /^(?:publish.*|--refresh-dependencies|wrapper)$/,
  },
  gem: { hosts: ['rubygems.org', 'index.rubygems.org'], commands: /^(?:install|i|update|push|fetch|search|outdated)$/ },
  bundle: { hosts: ['rubygems.org', 'index.rubygems.org'], commands: /^(?:|install|update|add|outdated|lock)$/ },
  composer: {
    hosts: ['repo.packagist.org', 'packagist.org', 'api.github.com', 'codeload.github.com'],
    commands: /^(?:install|i|update|u|require|r|create-project|outdated|search|global|self-update)$/,
  },
  dotnet: { hosts: ['api.nuget.org'], commands: /^(?:restore|add|tool|nuget|workload|new)$/ },
  deno: {
    hosts: ['deno.land', 'jsr.io', 'registry.npmjs.org'],
    commands: /^(?:add|install|cache|upgrade|publish|outdated)$/,
  },
  gh: { hosts: ['github.com', 'api.github.com'], commands: /^(?!help$|version$|config$|alias$|completion$)/ },
} satisfies Record<string, Registry>)

/** Programs that are useless without a network, or that talk to a service that uses it for them. */
const CONNECTS = new Set(
  `nc ncat netcat socat telnet ftp lftp tftp sftp ping ping6 dig nslookup host drill whois traceroute tracepath mtr
  nmap arp-scan openssl sendmail mail mailx msmtp swaks aws az gcloud gsutil kubectl helm terraform tofu pulumi heroku
  vercel netlify flyctl fly railway firebase wrangler doctl hub glab svn hg bzr docker podman nerdctl docker-compose
  buildah skopeo apt apt-get aptitude dnf yum zypper pacman apk brew port snap flatpak nix-env psql mysql mariadb
  mongo mongosh redis-cli mosh rclone restic borg aria2c lynx w3m links elinks http https xh httpie grpcurl websocat
  ngrok cloudflared tailscale chisel proxychains yt-dlp youtube-dl ansible ansible-playbook vagrant`.split(/\s+/),
)
/** Words that show that one of these programs makes no connection. */
const OFFLINE = /^(?:--version|-V|--help|-h|help|version)$/
const CURL_ADDRESSES = /^(?:-x|--proxy|--preproxy|--socks[45].*|--url|--url=.*|--proxy=.*|--doh-url.*)$/
const CURL_ELSEWHERE =
  /^(?:-K.*|--config.*|--resolve.*|--connect-to.*|--next|-:|--proto-default.*|--abstract-unix-socket.*|--unix-socket.*)$/
const DOWNLOAD_FLAGS =
  /^--(?:silent|show-error|location|fail|fail-with-body|insecure|compressed|verbose|head|get|remote-name|remote-header-name|progress-bar|include|globoff|http[\d.]+|ipv[46]|quiet|continue|no-.*|content-disposition|recursive|mirror|timestamping)$/
const GIT_REMOTE = /^(?:clone|fetch|pull|push|ls-remote|submodule|remote|lfs|send-pack|fetch-pack|request-pull)$/

/** What a command connects to, as far as its words show; undefined when it is not known to connect. Pure. */
export function networkUse(words: readonly Word[]): NetworkUse | undefined {
  const program = programOf(words).toLowerCase()
  const name = /^pip[\d.]+$/.test(program)
    ? 'pip'
    : /^gradlew?$/.test(program)
      ? 'gradle'
      : /^mvnw?$/.test(program)
        ? 'mvn'
        : program
  const rest = words.slice(1)
  if (rest.length === 1 && OFFLINE.test(rest[0]!.text)) return undefined
  if (name === 'curl' || name === 'wget') return downloads(name, rest)
  if (name === 'git') return ofGit(rest)
  if (name === 'ssh' || name === 'scp' || name === 'rsync' || name === 'sftp') return remoteShell(name, rest)
  if (/^python[\d.]*$/.test(name) && rest[0]?.text === '-m' && rest[1]?.text === 'pip')
    return networkUse([{ text: 'pip', known: true }, ...rest.slice(2)])
  const registry = REGISTRIES[name]
  if (registry) return fromRegistry(registry, rest)
  return CONNECTS.has(name) ? namedHosts(rest) : undefined
}

function downloads(name: string, rest: readonly Word[]): NetworkUse | undefined {
  const use: NetworkUse = { hosts: [], unknown: false }
  let addresses = 0
  for (const [index, word] of rest.entries()) {
    // bash treats `?` in an address as a wildcard, which almost never matches.
    if (!word.known && !(word.glob && word.text.includes('://'))) {
      use.unknown = true
      continue
    }
    if (name === 'curl' && CURL_ELSEWHERE.test(word.text)) use.unknown = true
    const before = rest[index - 1]?.text ?? ''
    const isAddress = CURL_ADDRESSES.test(before) || /^--(?:url|proxy)=/.test(word.text)
    const text = word.text.replace(/^--(?:url|proxy)=/, '')
    if (/^file:/i.test(text)) addresses += 1
    // curl accepts address forms that look like option values: braces and brackets expand to several.
    else if (/[{}[\]\\]/.test(text) && text.includes('://')) use.unknown = true
    else if (
      text.includes('://') ||
      isAddress ||
      (!text.startsWith('-') && !takesValue(before) && /^[\w-]+(?:\.[\w-]+)+(?:[:/].*)?$/.test(text))
    ) {
      const host = hostOf(text)
      if (host === undefined) use.unknown = true
      else use.hosts.push(host)
      addresses += 1
    } else if (/^(?:-i|--input-file.*)$/.test(text) && name === 'wget') use.unknown = true
  }
  if (addresses === 0) use.unknown = true
  if (use.hosts.length === 0 && !use.unknown) return undefined
  return { hosts: [...new Set(use.hosts)], unknown: use.unknown }
}

/** Whether the word after this option of curl or wget is its value. */
function takesValue(option: string): boolean {
  if (option.startsWith('--')) return !option.includes('=') && !DOWNLOAD_FLAGS.test(option)
  return /^-\w*[AbCcDdEeFHhKmoPQrTtUuwXxYyz]$/.test(option)
}

function ofGit(rest: readonly Word[]): NetworkUse | undefined {
  const at = rest.findIndex(
    (word, index) =>
      !word.text.startsWith('-') && !/^(?:-C|-c|--git-dir|--work-tree|--namespace)$/.test(rest[index - 1]?.text ?? ''),
  )
  const command = rest[at]
  if (!command || !GIT_REMOTE.test(command.text)) return undefined
  const words = rest.slice(at + 1)
  if (command.text === 'remote' && !words.some(({ text }) => /^(?:update|show|prune|set-head)$|^-f$/.test(text)))
    return undefined
  if (command.text === 'submodule' && !words.some(({ text }) => /^(?:add|update)$/.test(text))) return undefined
  const operands = words.filter((word) => !word.known || !word.text.startsWith('-'))
  const remotes = operands.flatMap((word) => (word.known ? (remoteOf(word.text) ?? []) : []))
  if (remotes.length > 0) return { hosts: [...new Set(remotes)], unknown: operands.some((word) => !word.known) }
  const [source] = operands
  if (source?.known && /^(?:\.{0,2}\/|file:)/.test(source.text)) return undefined
  // A remote's name; its address is a setting of the repository.
  return { hosts: [], unknown: true }
}

/** The host of an address in any of git's forms, including `git@host:path`; undefined for a path or a remote's name. */
export function remoteOf(text: string): string | undefined {
  if (/^(?:https?|ssh|git|ftps?|git\+\w+|git\+ssh):\/\//i.test(text)) return hostOf(text.replace(/^git\+/i, ''))
  const short = /^(?:[\w.-]+@)?([\w.-]+\.[\w.-]+|localhost):(?!\/\/)./.exec(text)
  return short?.[1]?.toLowerCase()
}

function remoteShell(name: string, rest: readonly Word[]): NetworkUse | undefined {
  const found = rest.flatMap((word) =>
    word.known
      ? (/^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)/.exec(word.text)?.[1] ??
        (word.text.includes('://') ? (hostOf(word.text) ?? []) : []))
      : [],
  )
  if (name === 'scp' || name === 'rsync') {
    const unknown = rest.some((word) => !word.known && !word.glob)
    return found.length > 0 || unknown ? { hosts: found.map((host) => host.toLowerCase()), unknown } : undefined
  }
  // ssh settings can map a name to a host, possibly via other hosts.
  const [host] = rest.filter(
    (word, index) => !word.text.startsWith('-') && !/^-[bcDEeFIiJLlmOopQRSWw]$/.test(rest[index - 1]?.text ?? ''),
  )
  const plain = host?.known
    ? host.text
        .replace(/^ssh:\/\//, '')
        .replace(/^.*@/, '')
        .replace(/:.*$/, '')
    : undefined
  return {
    hosts: plain === undefined ? [] : [plain.toLowerCase()],
    unknown: plain === undefined || !plain.includes('.'),
  }
}

function fromRegistry({ hosts, commands }: Registry, rest: readonly Word[]): NetworkUse | undefined {
  const command = rest.find((word) => !word.known || !word.text.startsWith('-'))
  const said = command?.text ?? ''
  if (rest.some(({ text }) => text === '--offline' || text === '--frozen-offline')) return undefined
  if (!commands.test(said) && !rest.some(({ text }) => text.startsWith('--') && commands.test(text))) return undefined
  const named = rest.flatMap((word) => (word.known ? addressIn(word.text) : []))
  return { hosts: [...new Set([...hosts, ...named])], unknown: rest.some((word) => !word.known) }
}

/** `--registry=https://host`, `git+https://host/x`, `github:user/x`. */
function addressIn(text: string): string[] {
  if (/^github:|^[\w-]+\/[\w.-]+(?:#.*)?$/.test(text) && !text.startsWith('@') && !text.startsWith('./'))
    return ['github.com', 'codeload.github.com']
  const address = /(?:git\+)?((?:https?|ssh|git):\/\/\S+)/.exec(text)?.[1]
  const host = address === undefined ? undefined : hostOf(address)
  return host === undefined ? [] : [host]
}

function namedHosts(rest: readonly Word[]): NetworkUse {
  const hosts = rest.flatMap((word) => (word.known && word.text.includes('://') ? (hostOf(word.text) ?? []) : []))
  return { hosts: [...new Set(hosts)], unknown: true }
}

function hostOf(address: string): string | undefined {
  const url = address.includes('://') ? address : `http://${address}`
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  return host === '' ? undefined : host.toLowerCase()
}
