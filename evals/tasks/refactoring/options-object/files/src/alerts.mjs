import { send } from './send.mjs'

export const diskFull = (to) => send(to, 'The disk is full', true)
export const nightly = (to) => send(to, 'The backup is done', false, true)
