export { clock } from './util/clock.mjs'

/** Jobs are loaded when they are due. */
export async function run(name) {
  const job = await import(`./jobs/${name}.mjs`)
  return job[name]()
}
