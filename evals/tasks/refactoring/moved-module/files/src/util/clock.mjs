import { zone } from '../settings.mjs'

export const clock = () => `12:00 ${zone}`
