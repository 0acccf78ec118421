import type { TrustView } from '../../../../shared/configuration/customize/customizations'
import { createTrust } from '../../../engine/trust/create-trust'
import { agentTrace } from '../../../engine/runtime/agent-trace'
import { askForFingerprint, isOwnTerminal } from './typed-consent'
import { resolve } from 'node:path'
import { findRepository } from '../../../engine/git/run/find-repository'
import { forgetGitTrust, trustedRepositories } from '../../../engine/git/trust/git-trust'

/**
 * `trestle permission show|trust|untrust`. `show` and `untrust` print the folder's settings, and whether they apply, as
 * JSON; `untrust` also prints the Git repository that was trusted, if there is one. `trust` shows them to a person at a
 * terminal, who types the start of their hash. Returns 0; 1 when not trusted; 2 when requested by an agent or by a
 * program without a terminal; 130 for Ctrl-C.
 */
export async function trustMain(action: 'show' | 'trust' | 'untrust', folder: string, home: string): Promise<number> {
  const trust = createTrust({
    describeServers: async (...file) =>
      (await import('../../../engine/mcp/config/describe-server')).describeServerFile(...file),
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

/**
 * `trestle permission repositories`, and `untrust --repository`: the Git repositories whose own hooks, filters and
 * settings the user trusts. Returns 0; 1 for a repository that is not trusted; 2 when an agent requests a change.
 */
export async function repositoriesMain(
  home: string,
  { json, forget }: { json: boolean; forget?: string | undefined },
): Promise<number> {
  const all = trustedRepositories(home)
  if (forget === undefined) {
    const lines = all.map(({ repository, acceptedAt }) => `${new Date(acceptedAt).toISOString()}  ${repository}\n`)
    process.stdout.write(
      json ? `${JSON.stringify(all)}\n` : lines.join('') || 'No repository is trusted to run programs of its own.\n',
    )
    return 0
  }
  const trace = await agentTrace({ home })
  if (trace !== undefined) {
    process.stderr.write(
      'trestle: only you can decide which repositories to trust, ' +
        `and this looks like a command of an agent: ${trace}. Run this in a terminal of your own.\n`,
    )
    return 2
  }
  const path = resolve(forget)
  const known = new Set([path, resolve(path, '.git'), findRepository(path)?.commonDir])
  const found = all.filter(({ repository }) => known.has(repository))
  if (found.length === 0) {
    process.stderr.write(`trestle: ${path} is not trusted. See: trestle permission repositories\n`)
    return 1
  }
  for (const { repository } of found) {
    forgetGitTrust(home, repository)
    process.stdout.write(json ? `${JSON.stringify({ repository })}\n` : `${repository} is no longer trusted.\n`)
  }
  return 0
}

/** Revokes the trust in the repository of a folder; undefined when it was not trusted. */
export function forgetRepositoryOf(folder: string, home: string): string | undefined {
  const commonDir = findRepository(folder)?.commonDir
  if (commonDir === undefined || !trustedRepositories(home).some(({ repository }) => repository === commonDir))
    return undefined
  forgetGitTrust(home, commonDir)
  return commonDir
}
