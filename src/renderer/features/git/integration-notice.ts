import type { GitIntegration } from '../../../shared/model/project/git'
import { showNoticeToast, showToast } from '../../state/page/toasts-state'

/** Reports the result of a merge or cherry-pick. `done`: shown when it is complete. */
export function showIntegrationResult({ outcome, conflicts }: GitIntegration, done: string): void {
  if (outcome === 'done') showToast(done)
  else if (outcome === 'unchanged') showToast('Already up to date')
  else
    showNoticeToast(
      `${conflicts === 1 ? 'One file has' : `${conflicts} files have`} conflicts. ` +
        'Resolve them under Changes, then continue, or abort.',
      'warning',
    )
}
