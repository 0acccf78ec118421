import type { Place } from '../../../../shared/model/place'
import type { Bundle } from '../prepare/bundle'
import { createContainerShell } from './container-launcher'
import type { Launcher } from './launcher'
import { createShellLauncher } from './shell-launcher'
import { createSshShell } from './ssh-launcher'
import { createSlurmLauncher } from '../slurm/slurm-launcher'

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
  const shell =
    launch.kind === 'ssh' ? createSshShell({ home: deps.home, launch, ...program }) : createContainerShell(launch)
  return createShellLauncher({ ...deps, place, shell })
}
