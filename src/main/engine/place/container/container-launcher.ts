import { CodedError } from '../../../../shared/errors'
import type { LaunchOf } from '../../../../shared/model/place/place'
import { CONTAINER_LABEL, LabeledContainers, programFailure } from './container-program'
import type { PlaceShell, ShellResult } from '../launcher/launcher'
import { startChannel } from '../launcher/shell-run'

/** The command of a container that Trestle starts: waits until it is stopped. */
const WAIT_COMMAND = 'trap "exit 0" TERM INT; while :; do sleep 3600 & wait $!; done'

/**
 * A shell in a container, through `docker exec` or `podman exec`: either one that the user runs, or one that is started
 * from an image on demand.
 */
export function createContainerShell(launch: LaunchOf<'container'>, instance: string): PlaceShell {
  const { program, image, mount } = launch
  const container = launch.container ?? instance
  const shell: PlaceShell = {
    start: (script) => startChannel(program, ['exec', '-i', container, 'sh', '-c', script]),
    failure: (result) => programFailure(program, result) ?? containerFailure(container, result),
    close: () => Promise.resolve(),
  }
  if (image === undefined) return shell
  const label = `${CONTAINER_LABEL}=${instance}`
  const containers = new LabeledContainers(program, label)
  return {
    ...shell,
    async ready({ signal, progress, isAutomatic }) {
      const state = await containers.state(signal)
      if (state === 'running') return
      if (isAutomatic) throw stopped(state === 'missing' ? 'was not started yet' : 'is stopped')
      if (state === 'stopped') return containers.start(signal)
      progress?.(`Starting a container of ${image}`)
      const mounted = mount === undefined ? [] : ['--mount', `type=bind,source=${mount},target=${mount}`]
      const options = ['--detach', '--init', '--name', instance, '--label', label, ...mounted, '--entrypoint', 'sh']
      await containers.run(['run', ...options, image, '-c', WAIT_COMMAND], signal)
    },
    stop: () => containers.stop(),
    remove: () => containers.remove(),
  }
}

/** The error of an automatic attempt, which starts nothing: starting is up to the user. */
export function stopped(why: string): CodedError {
  return new CodedError('place.stopped', `The container ${why}.`)
}

/** The error for a failure of `exec` that is caused by the container. */
export function containerFailure(container: string, { stderr }: ShellResult): CodedError | undefined {
  if (/No such container|no container with name or ID|is not running|container state improper/i.test(stderr))
    return new CodedError('place.unreachable', `There is no running container ${container}. Start it first.`)
  return undefined
}
