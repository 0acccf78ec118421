import { CodedError } from '../../../../shared/errors'
import type { PlaceLaunch } from '../../../../shared/model/place'
import { plainLine } from '../remote/plain-text'
import type { PlaceShell } from './launcher'
import { startChannel } from './shell-run'

/** A shell in a running container, through `docker exec` or `podman exec`. */
export function createContainerShell({ program, container }: Extract<PlaceLaunch, { kind: 'container' }>): PlaceShell {
  return {
    start: (script) => startChannel(program, ['exec', '-i', container, 'sh', '-c', script]),
    failure({ exitCode, stderr }) {
      if (exitCode === 127 && /ENOENT/.test(stderr))
        return new CodedError('place.unreachable', `${program} is not installed on this machine.`)
      if (/No such container|no container with name or ID|is not running|container state improper/i.test(stderr))
        return new CodedError('place.unreachable', `There is no running container ${container}. Start it first.`)
      if (
        /Cannot connect to the Docker daemon|permission denied while trying to connect|failed to connect to the docker API/i.test(
          stderr,
        )
      )
        return new CodedError('place.unreachable', `${program} does not answer: ${plainLine(stderr)}`)
      return undefined
    },
    close: () => Promise.resolve(),
  }
}
