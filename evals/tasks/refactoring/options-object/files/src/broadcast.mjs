import { send } from './send.mjs'

/** One message to many. */
export function broadcast(people, text, ...flags) {
  return people.map((person) => send(person, text, ...flags))
}

export const maintenance = (people) => broadcast(people, 'Down at nine', true, true)
