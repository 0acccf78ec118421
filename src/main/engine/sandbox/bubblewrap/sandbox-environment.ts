import { PROXY_PORTS } from '../network/forwarder'
import type { SandboxPolicy } from '../sandbox-policy'

/**
 * Variables that lead to sockets of the desktop, of agents with keys, and of container engines: of no use, or a way
 * out.
 */
const SOCKET_VARIABLES = new Set(
  (
    'SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS ' +
    'DBUS_SYSTEM_BUS_ADDRESS DOCKER_HOST XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY'
  ).split(' '),
)

/**
 * The environment of a command in its sandbox: temporary files go to the private folder, and proxies are what the
 * sandbox offers.
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
   * The ports of the proxies as the command sees them, on 127.0.0.1. No variable names the one for SOCKS; `ALL_PROXY`
   * below says why.
   */
  http: number
  socks?: number
  /** The environment the command has otherwise; what this only adds to is read from it. */
  base?: Readonly<Record<string, string | undefined>>
  /** Path of `socat` inside the sandbox; git over SSH needs it. */
  socat?: string
}

/** Servers that the command starts itself are inside the sandbox and reached directly. */
const DIRECT = 'localhost,127.0.0.1,::1'

/**
 * What programs need in their environment to find the proxy; it overrides what the user's own environment says of
 * proxies, since those cannot be reached from inside. Nothing here is a boundary: a program that ignores it has no
 * network.
 */
export function proxyEnvironment({ http, base = {}, socat }: ProxyEnvironmentOptions): Record<string, string> {
  const proxy = `http://127.0.0.1:${http}`
  return {
    // curl, git, pip, Cargo, Go, Ruby, .NET, Deno, Bun. curl reads `http_proxy` in lower case only, some others the
    // upper case only.
    HTTP_PROXY: proxy,
    http_proxy: proxy,
    HTTPS_PROXY: proxy,
    https_proxy: proxy,
    // For other schemes (curl with ftp://). Not the SOCKS port: Python's httpx fails at every request, HTTPS ones too,
    // where this names SOCKS and its optional package for that is missing. Programs that only know SOCKS can be given
    // 127.0.0.1 and that port by hand.
    ALL_PROXY: proxy,
    all_proxy: proxy,
    NO_PROXY: DIRECT,
    no_proxy: DIRECT,
    // npm and pnpm: a proxy in a project's .npmrc would come before HTTPS_PROXY, and cannot be reached from inside.
    npm_config_proxy: proxy,
    npm_config_https_proxy: proxy,
    npm_config_noproxy: DIRECT,
    // Yarn 2 and later reads its own names only.
    YARN_HTTP_PROXY: proxy,
    YARN_HTTPS_PROXY: proxy,
    // Node itself (fetch, http, https), since 22.21 and 24.
    NODE_USE_ENV_PROXY: '1',
    // pip: comes before a proxy in pip.conf.
    PIP_PROXY: proxy,
    // Maven, Gradle and everything else on a JVM: a JVM does not look at HTTP_PROXY, and passes this on to the ones it
    // starts. Each says "Picked up JAVA_TOOL_OPTIONS" on its standard error.
    JAVA_TOOL_OPTIONS: javaOptions(http, base['JAVA_TOOL_OPTIONS']),
    // ssh looks at none of the above. Hosts still have to be listed with port 22, and the keys are not in the sandbox:
    // it helps with an agent's socket that is.
    ...(socat !== undefined &&
      base['GIT_SSH_COMMAND'] === undefined && {
        GIT_SSH_COMMAND: `ssh -o ProxyCommand='${socat.replaceAll("'", '')} - PROXY:127.0.0.1:%h:%p,proxyport=${http}'`,
      }),
  }
}

function javaOptions(port: number, inherited: string | undefined): string {
  const scheme = (name: string): string => `-D${name}.proxyHost=127.0.0.1 -D${name}.proxyPort=${port}`
  // Maven's own transport ignores the system properties of Java unless told otherwise, under a name for version 3.9 and
  // one for 4.
  const maven = '-Daether.connector.http.useSystemProperties=true -Daether.transport.apache.useSystemProperties=true'
  return [inherited, scheme('http'), scheme('https'), maven]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
}
