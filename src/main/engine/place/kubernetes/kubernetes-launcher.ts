import { CodedError } from '../../../../shared/errors'
import type { LaunchOf } from '../../../../shared/model/place/place'
import type { PlaceShell } from '../launcher/launcher'
import { Cluster } from './cluster'
import { ClusterSandbox } from './cluster-sandbox'
import { execChannel, notStarted } from './exec-channel'

/** Longest script in the URL of a request; longer ones are sent over stdin. */
const MAX_SCRIPT_IN_URL = 4000

/**
 * A shell in a pod of a cluster with kubernetes-sigs/agent-sandbox, which keeps one pod for each Sandbox. Logins come
 * from the kubeconfig; commands run through the cluster's API server, and no port is opened.
 */
export function createKubernetesShell(
  launch: LaunchOf<'kubernetes'>,
  instance: string,
  pollMs?: readonly [first: number, longest: number],
): PlaceShell {
  let opened: Promise<Cluster> | undefined
  let pod: string | undefined
  const cluster = (): Promise<Cluster> => {
    // Try again next time: the problem may be fixed by then.
    opened ??= Cluster.open(launch).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return opened
  }
  const sandbox = async (): Promise<ClusterSandbox> => new ClusterSandbox(await cluster(), launch, instance, pollMs)
  return {
    async ready(given) {
      pod = await (await sandbox()).running(given)
    },
    start(script) {
      const isLong = encodeURIComponent(script).length > MAX_SCRIPT_IN_URL
      const bytes = Buffer.from(script)
      const command = isLong ? `eval "$(dd bs=1 count=${bytes.length} 2>/dev/null)"` : script
      const channel = execChannel(async () => {
        if (pod === undefined) throw new CodedError('place.stopped', 'The pod was not started yet.')
        const there = await cluster()
        return there.connect(execPath(there.namespace, pod, command))
      })
      if (isLong) channel.input.write(bytes)
      return channel
    },
    failure: notStarted,
    close: () => Promise.resolve(),
    stop: async () => (await sandbox()).suspend(),
    remove: async () => (await sandbox()).remove(),
  }
}

function execPath(namespace: string, pod: string, script: string): string {
  const query = new URLSearchParams({ stdin: 'true', stdout: 'true', stderr: 'true' })
  for (const word of ['sh', '-c', script]) query.append('command', word)
  return `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}/exec?${query.toString()}`
}
