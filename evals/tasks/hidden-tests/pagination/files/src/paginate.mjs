/** The items of one page. Pages count from 1. */
export function paginate(items, page, size) {
  const pages = Math.floor(items.length / size)
  const start = page * size
  return { items: items.slice(start, start + size), page, pages }
}
