import { createHash } from 'node:crypto'
import type { Place } from '../../../shared/model/place/place'
import type { Bundle } from './prepare/bundle'
import { createKubernetesShell } from './kubernetes/kubernetes-launcher'
import { createContainerShell } from './container/container-launcher'
import { createDevcontainerShell } from './container/devcontainer-launcher'
import type { Launcher, PlaceShell } from './launcher/launcher'
import { createShellLauncher } from './ssh/shell-launcher'
import { createSshShell } from './ssh/ssh-launcher'
import { createSlurmLauncher } from './slurm/slurm-launcher'

export interface LauncherDeps {
  /** Real path of TRESTLE_HOME. */
  home: string
  version: string
  clientId: string
  bundle?: () => Promise<Bundle>
  /** The ssh program; default: the system's. */
  ssh?: string
}

/** The launcher of a place. */
export function launcherOf(place: Place, { ssh, ...deps }: LauncherDeps): Launcher {
  const { launch } = place
  const program = ssh === undefined ? {} : { program: ssh }
  if (launch.kind === 'slurm') return createSlurmLauncher({ ...deps, ...program, place: { ...place, launch } })
  return createShellLauncher({ ...deps, place, shell: shellOf({ ...place, launch }, deps, program) })
}

function shellOf(
  { placeId, launch, parent }: Place & { launch: Exclude<Place['launch'], { kind: 'slurm' }> },
  { home, clientId }: LauncherDeps,
  program: { program?: string },
): PlaceShell {
  const instance = instanceName(clientId, placeId)
  switch (launch.kind) {
    case 'ssh':
      return createSshShell({ home, launch, ...program })
    case 'container':
      return createContainerShell(launch, instance)
    case 'devcontainer':
      return createDevcontainerShell({ home, launch, instance, isOwn: parent !== undefined })
    default:
      return createKubernetesShell(launch, instance)
  }
}

/**
 * The name of the container, pod or job that Trestle starts for a place. It is unique to the home and place, and valid
 * for container programs and in DNS.
 */
function instanceName(clientId: string, placeId: string): string {
  const readable = placeId.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  const hash = createHash('sha256').update(`${clientId} ${placeId}`).digest('hex').slice(0, 8)
  return `trestle-${readable}-${hash}`
}
