import { send } from './send.mjs'

const deliver = send

export const welcome = (to) => deliver(to, 'Welcome', false, true)
