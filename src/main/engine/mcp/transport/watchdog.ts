import { spawn, type ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { startedChild } from '../../task/started-child'

/**
 * Told of process groups over its input; when that ends without a word the program that told it was killed, and it ends the groups: it gives them a second to see that their own
 * input has ended, asks, and ends what is left. It ignores what ends the groups around it.
 */
const SCRIPT = `trap '' HUP INT QUIT TERM
g=
while read -r verb id; do
  case $verb in
    add) g="$g $id" ;;
    drop) n=; for x in $g; do [ "$x" = "$id" ] || n="$n $x"; done; g=$n ;;
    end) exit 0 ;;
  esac
done
[ -z "$g" ] && exit 0
sleep 1
for x in $g; do kill -s TERM -- "-$x"; done
sleep 2
for x in $g; do kill -s KILL -- "-$x"; done`

let dog: ChildProcess | undefined
const watched = new Set<number>()

/**
 * Has the process group of a server ended even when this program is killed and cannot do it: by one small shell for all servers, started with the first of them
 * and ended with the last. What has left the group is found at the next start, by its mark. Call what it returns when the group is gone.
 */
export function watchGroup(group: number): () => void {
  if (process.platform === 'win32') return () => undefined
  watched.add(group)
  if (dog) tell('add', group)
  else dog = dogOrNone()
  return () => {
    if (!watched.delete(group)) return
    if (watched.size > 0) return tell('drop', group)
    // Nothing of it is left when the last server is gone.
    dog?.stdin?.end('end\n')
    dog = undefined
  }
}

/** Without a free descriptor it does not start: the next server tries again, and what a killed program leaves is found at the next start. */
function dogOrNone(): ChildProcess | undefined {
  try {
    return startDog()
  } catch {
    return undefined
  }
}

function startDog(): ChildProcess {
  const child = startedChild(
    spawn('/bin/sh', ['-c', SCRIPT], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    }),
  )
  // It is no reason for the program to go on.
  child.unref()
  ;(child.stdin as Socket).unref()
  child.stdin.on('error', () => undefined)
  const forget = (): void => {
    if (dog === child) dog = undefined
  }
  child.once('error', forget)
  child.once('exit', forget)
  for (const group of watched) child.stdin.write(`add ${group}\n`)
  return child
}

function tell(verb: 'add' | 'drop', group: number): void {
  dog?.stdin?.write(`${verb} ${group}\n`)
}
