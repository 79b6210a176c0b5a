import type { EventFollower } from './event-follower.ts';
import { createExceptionFollower } from './exceptions/follow-exception.ts';
import type { KindParts } from './operations/operation-kind.ts';
import { operationKinds } from './operations/registry.ts';

/** All that may still happen to money after its operation is over. Each follower finds by itself whether an event is its own. */
export function createEventFollowers(parts: KindParts): readonly EventFollower[] {
  return [...operationKinds.map((kind) => kind.createFollower(parts)), createExceptionFollower(parts)];
}
