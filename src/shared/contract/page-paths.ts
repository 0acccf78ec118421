/**
 * The addresses of the page's views: `/s/<session>`, `/settings/<section>/<item>`, `/tasks/<task>`, `/inbox`, `/new`; `/quick` is the quick prompt of the desktop app. The hosts answer each of them with
 * the page itself; the page reads and writes them (renderer/state/route.ts).
 */
export const PAGE_PATHS = { session: 's', settings: 'settings', tasks: 'tasks', inbox: 'inbox', new: 'new', quick: 'quick' } as const

const SEGMENTS: ReadonlySet<string> = new Set(Object.values(PAGE_PATHS))
/** Kind, id or section, item. */
const MOST_SEGMENTS = 3

/** Whether the path of a URL (as it is in the URL, still encoded) is a view of the page, and not a file. */
export function isPagePath(path: string): boolean {
  const segments = path.split('/').slice(1)
  const [first = ''] = segments
  const isPlain = segments.every((segment) => segment !== '' && segment !== '.' && segment !== '..')
  return path.startsWith('/') && SEGMENTS.has(first) && segments.length <= MOST_SEGMENTS && isPlain
}
