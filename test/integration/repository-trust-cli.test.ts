import { afterEach, beforeEach, expect, it } from 'vitest'
import { createGitLab, type GitLab } from '../support/git-lab'
import { runCli } from '../support/run-cli'
import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

let lab: GitLab
let repo: string
beforeEach(async () => {
  lab = createGitLab()
  repo = lab.repository('shop')
  writeFileSync(join(repo, '.git/hooks/pre-commit'), '#!/bin/sh\ntrue\n')
  chmodSync(join(repo, '.git/hooks/pre-commit'), 0o755)
  await lab.trust(repo)
})
afterEach(() => lab.remove())

const permission = (...args: string[]) => runCli(['permission', ...args], { home: lab.home })

it('lists repositories whose programs are trusted, and withdraws trust in a deleted one', async () => {
  expect((await permission('repositories')).stdout).toContain(join(repo, '.git'))
  expect(JSON.parse((await permission('repositories', '--json')).stdout)).toMatchObject([
    { repository: join(repo, '.git') },
  ])
  rmSync(repo, { recursive: true })
  expect(await permission('untrust', '--repository', repo)).toMatchObject({ code: 0 })
  expect(JSON.parse((await permission('repositories', '--json')).stdout)).toEqual([])
  const again = await permission('untrust', '--repository', repo)
  expect(again).toMatchObject({ code: 1 })
  expect(again.stderr).toContain('is not trusted')
})

it('withdraws the trust in the repository of a folder together with the trust in its settings', async () => {
  const { code, stdout } = await permission('untrust', '--cwd', repo)
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, folder: repo, repository: join(repo, '.git') })
  await expect(lab.actions.status(repo)).rejects.toMatchObject({ code: 'git.untrusted' })
})
