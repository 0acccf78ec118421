import type { TrestleClient } from '../../shared/contract'
import type { Task, TaskOutputPage } from '../../shared/model/task'

/** Bytes of one page, as many as the contract allows. */
const PAGE = 1024 * 1024

/** Saves everything that is kept of a task's output as a file of the user's, by way of the browser. */
export async function downloadLog(client: TrestleClient, task: Pick<Task, 'taskId'>): Promise<void> {
  const pages: Blob[] = []
  let before: number | undefined
  for (;;) {
    const page: TaskOutputPage = await client.task.output({ taskId: task.taskId, bytes: PAGE, ...(before !== undefined && { before }) })
    // Handed over piece by piece: the browser keeps large blobs on disk, not in the page.
    pages.unshift(new Blob([...(page.dropped > 0 ? [`\n[${page.dropped} bytes are not kept]\n`] : []), page.text]))
    const next = page.from - page.dropped
    if (next <= 0 || page.to <= page.from) break
    before = next
  }
  const url = URL.createObjectURL(new Blob(pages, { type: 'text/plain;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${task.taskId}.log`
  link.click()
  // The download has begun with the click; the page lets go of its copy a little later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
