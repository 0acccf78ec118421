/** One answer to `tools/list` and its like, as the server sent it. */
export type ListPage = Readonly<Record<string, unknown>>

export interface Listed {
  items: unknown[]
  /** Why it may not be all; a sentence. */
  problem?: string
  /** For so long it need not be asked for again, as the server says. */
  ttlMs?: number
}

const MOST_PAGES = 400
/** More of one kind than any model or person can use. */
const MOST_ITEMS = 4_000
const LONGEST_CURSOR = 16 * 1024

/**
 * All pages of a list (MCP 2025-11-25, pagination), whatever its cursors do: one that comes again, pages without end and a page that fails end the list where it
 * is. Fails only where not even the first page comes.
 */
export async function listPages(
  page: (cursor: string | undefined) => Promise<ListPage>,
  key: string,
  { now, deadline }: { now: () => number; deadline: number },
): Promise<Listed> {
  const items: unknown[] = []
  const seen = new Set<string>()
  let cursor: string | undefined
  for (let pages = 1; ; pages++) {
    let got: ListPage
    try {
      got = await page(cursor)
    } catch (error) {
      if (pages === 1) throw error
      return { items, problem: `Page ${pages} of its ${key} could not be had: ${error instanceof Error ? error.message : String(error)}` }
    }
    const listed: unknown = got[key]
    if (!Array.isArray(listed)) {
      if (pages === 1) throw new Error(`It answered without a list of ${key}.`)
      return { items, problem: `Page ${pages} of its ${key} holds no list.` }
    }
    for (const item of listed as unknown[]) {
      if (items.length >= MOST_ITEMS) return { items, problem: `It has more than ${MOST_ITEMS} ${key}; the others are left out.` }
      items.push(item)
    }
    const next: unknown = got['nextCursor']
    if (next === undefined || next === null || next === '') return { items }
    if (typeof next !== 'string' || next.length > LONGEST_CURSOR)
      return { items, problem: `Page ${pages} of its ${key} names no usable next page.` }
    if (seen.has(next)) return { items, problem: `The pages of its ${key} go round in a circle.` }
    if (pages >= MOST_PAGES) return { items, problem: `Its ${key} have more than ${MOST_PAGES} pages; the others are left out.` }
    if (now() > deadline) return { items, problem: `Listing its ${key} took too long; what came until then is used.` }
    seen.add(next)
    cursor = next
  }
}
