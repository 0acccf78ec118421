/**
 * The web's `FormData`, loaded on first use: merely checking whether a value is an instance loads all of Node's
 * `fetch`, which takes 40 ms and 13 MB at the first call of a client.
 */
export function FormData(): globalThis.FormData {
  return new globalThis.FormData()
}

Object.defineProperty(FormData, Symbol.hasInstance, {
  value: (value: unknown) => Object.prototype.toString.call(value) === '[object FormData]',
})
