/**
 * The web's `FormData`, from its first use on: merely asking whether a value is one loads all of Node's `fetch`, 40 ms
 * and 13 MB at the first call of a client.
 */
export function FormData(): globalThis.FormData {
  return new globalThis.FormData()
}

Object.defineProperty(FormData, Symbol.hasInstance, {
  value: (value: unknown) => Object.prototype.toString.call(value) === '[object FormData]',
})
