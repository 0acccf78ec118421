import { z } from 'zod'

/** Any answer: what a server says is read piece by piece, so that one bad piece does not spoil the others. */
export const looseResult = z.record(z.string(), z.unknown())
