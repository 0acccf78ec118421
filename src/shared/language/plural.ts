/** A noun in the form that goes with a count, e.g. `${count} ${plural(count, 'more file')}`. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many
}
