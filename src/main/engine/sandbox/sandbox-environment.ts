import { PROXY_PORTS } from './network/forwarder'
import { proxyEnvironment } from './network/proxy-environment'
import type { SandboxPolicy } from './sandbox-policy'

/** Variables that lead to sockets of the desktop, of agents with keys, and of container engines: of no use, or a way out. */
const SOCKET_VARIABLES = new Set(
  'SSH_AUTH_SOCK SSH_AGENT_PID GPG_AGENT_INFO DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS DOCKER_HOST XDG_RUNTIME_DIR DISPLAY WAYLAND_DISPLAY XAUTHORITY'.split(
    ' ',
  ),
)

/** The environment of a command in its sandbox: temporary files go to the private folder, and proxies are what the sandbox offers. */
export function sandboxEnvironment(
  env: Readonly<Record<string, string>>,
  { network, sockets }: Pick<SandboxPolicy, 'network' | 'sockets'>,
  socat?: string,
): Record<string, string> {
  const own = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => !SOCKET_VARIABLES.has(name) || sockets.some((socket) => value.includes(socket))),
  )
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) delete own[name]
  const proxy = network === 'listed' ? proxyEnvironment({ ...PROXY_PORTS, base: env, ...(socat !== undefined && { socat }) }) : {}
  return { ...own, TMPDIR: '/tmp', ...proxy }
}
