import { PROXY_PORTS } from '../network/forwarder'
import type { SandboxPolicy } from '../sandbox-policy'

/**
 * Variables that point to sockets of the desktop, key agents and container engines: useless inside, or an escape.
 */
const SOCKET_VARIABLES = new Set(
  (
    'SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS ' +
    'DBUS_SYSTEM_BUS_ADDRESS DOCKER_HOST XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY'
  ).split(' '),
)

/**
 * The environment of a command in its sandbox: temporary files go to the private folder, and proxy variables point to
 * the sandbox's proxy.
 */
export function sandboxEnvironment(
  env: Readonly<Record<string, string>>,
  { network, sockets }: Pick<SandboxPolicy, 'network' | 'sockets'>,
  socat?: string,
): Record<string, string> {
  const own = Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) => !SOCKET_VARIABLES.has(name) || sockets.some((socket) => value.includes(socket)),
    ),
  )
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) delete own[name]
  const proxy =
    network === 'listed' ? proxyEnvironment({ ...PROXY_PORTS, base: env, ...(socat !== undefined && { socat }) }) : {}
  return { ...own, TMPDIR: '/tmp', ...proxy }
}

export interface ProxyEnvironmentOptions {
  /**
   * The ports of the proxies as the command sees them, on 127.0.0.1. No variable points to the SOCKS port; see
   * `ALL_PROXY` below.
   */
  http: number
  socks?: number
  /** The command's own environment, for variables whose value is extended. */
  base?: Readonly<Record<string, string | undefined>>
  /** Path of `socat` inside the sandbox; needed for git over SSH. */
  socat?: string
}

/** Servers that the command starts itself are inside the sandbox and reached directly. */
const DIRECT = 'localhost,127.0.0.1,::1'

/**
 * The variables with which programs find the proxy. They override the user's own proxies, which cannot be reached from
 * inside. This is not a security boundary: a program that ignores it has no network.
 */
export function proxyEnvironment({ http, base = {}, socat }: ProxyEnvironmentOptions): Record<string, string> {
  const proxy = `http://127.0.0.1:${http}`
  return {
    // curl, git, pip, Cargo, Go, Ruby, .NET, Deno, Bun. curl reads only the lowercase `http_proxy`, some others only
    // the uppercase one.
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    // For other schemes (curl with ftp://). Not the SOCKS port: with a SOCKS URL here, Python's httpx fails every
    // request, including HTTPS, unless its optional SOCKS package is installed. Programs that only support SOCKS can be
    // pointed to 127.0.0.1 and that port manually.
    ALL_PROXY: proxy,
    all_proxy: proxy,
    NO_PROXY: DIRECT,
    no_proxy: DIRECT,
    // npm and pnpm: a proxy in a project's .npmrc would override HTTPS_PROXY, and cannot be reached from inside.
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: DIRECT,
    // Yarn 2 and later reads only its own variables.
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    // Node itself (fetch, http, https), since 22.21 and 24.
    NODE_USE_ENV_PROXY: '1',
    // pip: overrides a proxy in pip.conf.
    PIP_PROXY: proxy,
    // Maven, Gradle and everything else on a JVM: a JVM does not look at HTTP_PROXY, and passes this on to the ones it
    // starts. Each prints "Picked up JAVA_TOOL_OPTIONS" to stderr.
    JAVA_TOOL_OPTIONS: javaOptions(http, base['JAVA_TOOL_OPTIONS']),
    // ssh reads none of the above. Hosts must still be listed with port 22, and since keys are hidden from the sandbox,
    // this only helps when an agent's socket is listed.
    ...(socat !== undefined &&
      base['GIT_SSH_COMMAND'] === undefined && {
        GIT_SSH_COMMAND: `ssh -o ProxyCommand='${socat.replaceAll("'", '')} - PROXY:127.0.0.1:%h:%p,proxyport=${http}'`,
      }),
  }
}

function javaOptions(port: number, inherited: string | undefined): string {
  const scheme = (name: string): string => `-D${name}.proxyHost=127.0.0.1 -D${name}.proxyPort=${port}`
  // Maven's own transport ignores Java's system properties unless this is set; 3.9 and 4 use different names.
  const maven = '-Daether.connector.http.useSystemProperties=true -Daether.transport.apache.useSystemProperties=true'
  return [inherited, scheme('http'), scheme('https'), maven]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
}
