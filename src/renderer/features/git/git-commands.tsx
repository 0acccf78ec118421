import { GitBranch } from 'lucide-react'
import type { ReactNode } from 'react'
import type { TrestleClient } from '../../../shared/contract'
import { openPane } from '../../state/panes/panes-state'
import { showFailureToast, showToast } from '../../state/page/toasts-state'

interface GitCommand {
  id: string
  group: string
  label: string
  keywords?: string
  onlySearched?: boolean
  icon: ReactNode
  run: () => void
}

/** The commands of the palette for the repository of a session. */
export function gitCommands({ git }: TrestleClient, sessionId: string): GitCommand[] {
  return [
    {
      id: 'git',
      group: 'This session',
      label: 'Git: changes, branches and history',
      keywords: 'commit stage stash push pull branch log diff conflict pull request',
      icon: <GitBranch aria-hidden />,
      run: () => openPane(sessionId, { kind: 'git' }),
    },
    command('Git: fetch', 'Fetched', () => git.fetch({ sessionId })),
    command('Git: pull', 'Pulled', () => git.pull({ sessionId, way: 'fast-forward' })),
    command('Git: push', 'Pushed', () => git.push({ sessionId })),
    command('Git: stash all changes', 'Stashed the changes', () =>
      git.saveStash({ sessionId, message: '', untracked: true }),
    ),
  ]
}

function command(label: string, done: string, work: () => Promise<unknown>): GitCommand {
  return {
    id: label,
    group: 'This session',
    label,
    onlySearched: true,
    icon: <GitBranch aria-hidden />,
    run: () => void runAndReport(work, done),
  }
}

async function runAndReport(work: () => Promise<unknown>, done: string): Promise<void> {
  try {
    await work()
    showToast(done)
  } catch (error) {
    showFailureToast(error)
  }
}
