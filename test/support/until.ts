/** Resolves when `condition` holds, looked at after every turn of the event loop; fails with `what` after `limitMs`. */
export async function until(condition: () => boolean, what: string, limitMs = 10_000): Promise<void> {
  const end = Date.now() + limitMs
  while (!condition()) {
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain for: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
