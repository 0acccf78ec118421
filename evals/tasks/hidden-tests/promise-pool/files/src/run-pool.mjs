/**
 * Runs the jobs, at most `limit` at the same time, and resolves with their results in the order of the jobs. When one fails, no further job is begun, those that
 * run are waited for, and then it rejects with the first error.
 */
export async function runPool(jobs, limit) {
  const results = []
  const running = new Set()
  for (const job of jobs) {
    const promise = job().then((result) => {
      results.push(result)
      running.delete(promise)
    })
    running.add(promise)
    if (running.size >= limit) await Promise.race(running)
  }
  await Promise.all(running)
  return results
}
