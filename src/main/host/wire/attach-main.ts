import { realpathSync } from 'node:fs'
import { UsageError, type Parsed } from '../../console/parse-command'
import { resolveHome } from '../../engine/config/home'
import { attachEngine } from '../../role/attach'

/** The exit code when the engine has exited: connecting again reaches its successor. */
const ENGINE_GONE = 75

/**
 * `trestle wire --attach`: forwards stdin and stdout to the engine of the home, and starts one if none runs. Ends with
 * stdin; the engine and all its work continue. Loads very little code.
 */
export async function attachMain({ values }: Parsed, version: string): Promise<number> {
  if (values['agent'] !== undefined || values['agent-file'] !== undefined)
    throw new UsageError('--agent and --agent-file do not go with --attach: the engine serves several clients.', 'wire')
  const { stdin, stdout } = process
  const { socket, engine } = await attachEngine({ home: realpathSync(resolveHome()), version })
  if (engine.version !== version)
    process.stderr.write(
      `trestle: the engine is Trestle ${engine.version}, and this is ${version}. ` +
        'To update it: trestle engine restart --when-idle\n',
    )
  let hasEnded = false
  const end = (): void => {
    hasEnded = true
    socket.end()
  }
  stdin.once('end', end).once('error', end)
  stdout.once('error', () => {
    hasEnded = true
    socket.destroy()
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
  stdin.pipe(socket, { end: false })
  socket.pipe(stdout, { end: false })
  await new Promise<void>((resolve) => socket.once('close', () => resolve()))
  stdin.destroy()
  if (hasEnded) return 0
  process.stderr.write('trestle: the engine has gone. Connect again: another one takes over, and no event is lost.\n')
  return ENGINE_GONE
}
