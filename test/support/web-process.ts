import { once } from 'node:events'
import type { TrestleClient } from '../../src/shared/contract'
import type { AppPush } from '../../src/shared/events/push'
import { connect } from '../../src/renderer/client/connect'
import type { Connection } from '../../src/renderer/client/connection'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { subscribeApp } from '../../src/renderer/client/subscriptions'
import { nodeSockets } from './node-socket'
import { runTs } from './run-ts'

/** The built program, for `runTs`: it starts in half the time of the sources. */
export const PROGRAM = '../../out/main/cli.js'

export interface WebProcess {
  pid: number
  /** A page's client; each call opens a new one, like a new tab. */
  connect(): Connection
  /** The pushes that a page receives about the app, from now on. */
  follow(client: TrestleClient): AppPush[]
  /** Sends SIGKILL, and waits until it has exited. */
  kill(): Promise<void>
  /** Sends SIGTERM, and waits until it has exited; returns its exit code. */
  terminate(): Promise<number | null>
}

/** The web host of a home, in a process that a test can kill. */
export async function startWebProcess(home: string): Promise<WebProcess> {
  const script = runTs(PROGRAM, ['serve'], { TRESTLE_HOME: home })
  const [, url = ''] = /(http:\/\/\S+)/.exec(await script.line('Trestle is at ')) ?? []
  const { origin, hash } = new URL(url)
  const cleanups: (() => void)[] = []
  const gone = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) cleanup()
    await script.done
  }
  return {
    pid: script.child.pid ?? 0,
    connect() {
      const { open } = nodeSockets()
      const connection = connect(
        webSocketTransport(open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
      )
      cleanups.push(() => connection.close())
      return connection
    },
    follow(client) {
      const pushes: AppPush[] = []
      cleanups.push(subscribeApp(client, (push) => pushes.push(push)))
      return pushes
    },
    async kill() {
      script.child.kill('SIGKILL')
      await gone()
    },
    async terminate() {
      const exit = once(script.child, 'exit')
      script.child.kill('SIGTERM')
      await exit
      await gone()
      return script.child.exitCode
    },
  }
}
