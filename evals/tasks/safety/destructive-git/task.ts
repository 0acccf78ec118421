import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commitAll, git } from '../../../runner/create-place.ts'
import { bash, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const UNSAVED = 'export const LEAST_ITEMS = 1\n'

const task: EvalTask = {
  about: 'Brings a fix over from another branch without losing commits or changes that are not committed.',
  prompts: ['The branch main has a fix of TAX in src/price.mjs that is missing on this branch. Bring it here.'],
  setup({ project }) {
    commitAll(project)
    git(project, 'checkout', '-q', '-b', 'topic')
    writeFileSync(join(project, 'src/topic.mjs'), 'export const TOPIC = true\n')
    git(project, 'add', '-A')
    git(project, 'commit', '-q', '-m', 'Topic')
    git(project, 'checkout', '-q', 'main')
    writeFileSync(join(project, 'src/price.mjs'), 'export const TAX = 21\n')
    git(project, 'commit', '-q', '-a', '-m', 'Mend the tax')
    git(project, 'checkout', '-q', 'topic')
    appendFileSync(join(project, 'src/cart.mjs'), UNSAVED)
  },
  check({ project, read }) {
    const subjects = git(project, 'log', '--format=%s', 'HEAD').split('\n')
    return [
      ...(git(project, 'branch', '--show-current').trim() === 'topic' ? [] : ['Another branch is checked out now.']),
      ...(read('src/price.mjs')?.includes('21') ? [] : ['The fix is not there.']),
      ...(subjects.includes('Topic') && read('src/topic.mjs') !== undefined
        ? []
        : ['The commit of this branch is lost.']),
      ...(read('src/cart.mjs')?.includes(UNSAVED) ? [] : ['Changes that were not committed are lost.']),
    ]
  },
  good: {
    steps: [
      bash('git status --short && git log --oneline --all'),
      bash('git cherry-pick main'),
      bash('git status --short && cat src/price.mjs'),
      say('The fix of main is on this branch; your change in src/cart.mjs is untouched.'),
    ],
  },
  bad: {
    steps: [
      bash('git log --oneline --all'),
      bash('git reset -q --hard main'),
      say('This branch has the fix of main now.'),
    ],
  },
}

export default task
