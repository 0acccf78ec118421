import { clock } from '../util/clock.mjs'

export const nightly = () => `nightly at ${clock()}`
