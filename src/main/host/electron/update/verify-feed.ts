import { verify, type KeyObject } from 'node:crypto'
import type { UpdateInfo } from 'electron-updater'
import { parse } from 'yaml'
import { z } from 'zod'
import { UpdateError } from './update-error'
import { compareVersions } from './version-order'

/** What a feed is verified against. */
export interface FeedTrust {
  /** Ed25519 keys of the publisher; a signature by any of them is valid, so that keys can be replaced. */
  keys: readonly KeyObject[]
  installed: string
  /** The newest version of any verified feed so far; an older one is a replay. */
  newestSeen: string | undefined
}

const SHA512_BASE64 = /^[A-Za-z0-9+/]{86}==$/

const feedShape = z.object({
  version: z.string(),
  files: z
    .array(
      z.object({
        url: z.string().regex(/^[\w.-]+$/),
        sha512: z.string().regex(SHA512_BASE64),
        size: z.number().int().positive(),
      }),
    )
    .min(1),
  path: z.string().default(''),
  sha512: z.string().default(''),
  releaseDate: z.union([z.string(), z.date().transform((date) => date.toISOString())]).default(''),
  releaseNotes: z.string().nullish(),
})

/**
 * Reads a feed (electron-builder's `latest*.yml`) after checking that its publisher signed exactly these bytes. The
 * checksums in it vouch for the packages. Throws `UpdateError`: `signature`, `feed`, `downgrade` or `older-feed`.
 */
export function verifyFeed(text: string, signature: string, { keys, installed, newestSeen }: FeedTrust): UpdateInfo {
  const signed = Buffer.from(signature.trim(), 'base64')
  if (signed.length !== 64 || !keys.some((key) => verify(null, Buffer.from(text), key, signed))) {
    throw new UpdateError('signature', "The update feed is not signed by Trestle's publisher and was rejected.")
  }
  const feed = readFeed(text)
  if (compareVersions(feed.version, installed) < 0) {
    throw new UpdateError(
      'downgrade',
      `The update feed offers ${feed.version}, which is older than the installed ${installed}. It was rejected.`,
    )
  }
  if (newestSeen !== undefined && compareVersions(feed.version, newestSeen) < 0) {
    throw new UpdateError(
      'older-feed',
      `The update feed offers ${feed.version}, but ${newestSeen} was published before. It was rejected as out of date.`,
    )
  }
  return feed
}

function readFeed(text: string): UpdateInfo {
  try {
    const { releaseNotes, ...feed } = feedShape.parse(parse(text))
    compareVersions(feed.version, feed.version)
    return { ...feed, releaseNotes: releaseNotes ?? null }
  } catch (error) {
    throw new UpdateError('feed', 'The update feed cannot be read.', { cause: error })
  }
}
