import type { TrustView } from '../../../shared/configuration/customizations'
import { createTrust } from '../../engine/trust/create-trust'
import { agentTrace } from '../../engine/runtime/agent-trace'
import { forgetRepositoryOf } from './repository-trust-main'
import { askForFingerprint, isOwnTerminal } from './typed-consent'

/**
 * `trestle permission show|trust|untrust`. `show` and `untrust` print the folder's settings, and whether they apply, as
 * JSON; `untrust` with the Git repository that was trusted, if there is one. `trust` shows them to a person at a terminal, who types the start of their hash. Returns 0; 1 when not trusted;
 * 2 when an agent or a program without a terminal asks; 130 for Ctrl-C.
 */
export async function trustMain(action: 'show' | 'trust' | 'untrust', folder: string, home: string): Promise<number> {
  const trust = createTrust({
    describeServers: async (...file) =>
      (await import('../../engine/mcp/config/describe-server')).describeServerFile(...file),
    home,
    now: Date.now,
    notify: () => undefined,
  })
  if (action === 'show') return print(await trust.view(folder))
  const trace = await agentTrace({ home })
  if (trace !== undefined) {
    return refuse(`only you can decide which projects to trust, and this looks like a command of an agent: ${trace}`)
  }
  if (action === 'untrust') {
    await trust.forget(folder)
    const repository = forgetRepositoryOf(folder, home)
    return print({ ...(await trust.view(folder)), ...(repository !== undefined && { repository }) })
  }
  if (!isOwnTerminal())
    return refuse('a project can only be trusted by a person at a terminal, where its settings are shown first')
  const view = await trust.view(folder)
  if (view.state === 'nothing' || view.state === 'trusted') {
    process.stdout.write(
      view.state === 'nothing' ? `${folder} has no settings of its own.\n` : `${folder} is trusted already.\n`,
    )
    return 0
  }
  process.stdout.write(described(view))
  const consent = await askForFingerprint('trust all of this', view.hash)
  if (consent === 'interrupted') {
    process.stdout.write('\nNot trusted.\n')
    return 130
  }
  if (consent === 'wrong') {
    process.stdout.write('\nNot trusted: that is not the beginning of the fingerprint.\n')
    return 1
  }
  await trust.accept(folder, view.hash)
  process.stdout.write(`Trusted. What ${folder} sets up applies until it changes.\n`)
  return 0
}

function print(view: TrustView & { repository?: string }): number {
  process.stdout.write(`${JSON.stringify(view)}\n`)
  return 0
}

function refuse(why: string): number {
  process.stderr.write(
    `trestle: ${why}. Open the project in the app to decide there, or run this in a terminal of your own.\n`,
  )
  return 2
}

/** All settings that would apply, exactly as hashed, with control and invisible characters made visible. */
function described({ folder, state, parts, hash, problem }: TrustView): string {
  const lines = [
    state === 'changed'
      ? `The settings of ${folder} have changed since you trusted them.`
      : `${folder} has settings of its own:`,
    ...(problem === undefined ? [] : [problem]),
    ...parts.flatMap(({ kind, file, lines: words, diff }) => [
      '',
      `${file} (${kind})`,
      ...words.map((line) => `  ${line}`),
      ...(diff === undefined ? [] : ['  Changes:', ...diff.split('\n').map((line) => `  ${line}`)]),
    ]),
    '',
    `Fingerprint: ${hash}`,
  ]
  return `${lines.join('\n')}\n`
}
