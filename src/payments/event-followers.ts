import type { EventFollower, NoEvidence } from './event-follower.ts';
import { createExceptionFollower } from './exceptions/follow-exception.ts';
import type { KindParts } from './operations/operation-kind.ts';
import { operationKinds } from './operations/registry.ts';

/** The followers of all operations, and that of exceptions, as one: the first that has something to do follows the event. */
export function createEventFollower(parts: KindParts): EventFollower {
  const followers = [
    ...operationKinds.map((kind) => kind.createFollower(parts)),
    createExceptionFollower(parts),
  ];
  return {
    listNewestBooked: () => ofAll((follower) => follower.listNewestBooked()),
    listEarlier: (before) => ofAll((follower) => follower.listEarlier(before)),
    async restore(listed) {
      for (const follower of followers) {
        const missing = await follower.restore(listed);
        if (missing) return missing;
      }
      return undefined;
    },
    async identify(event) {
      for (const follower of followers) {
        const operation = await follower.identify(event);
        if (operation) return operation;
      }
      return undefined;
    },
    async isOfEarlierGeneration(event) {
      for (const follower of followers) if (await follower.isOfEarlierGeneration(event)) return true;
      return false;
    },
    async follow(event) {
      for (const follower of followers) {
        const followed = await follower.follow(event);
        if (followed) return followed;
      }
      return undefined;
    },
  };

  async function ofAll<Listed>(
    list: (follower: EventFollower) => Promise<Listed[] | NoEvidence>,
  ): Promise<Listed[] | NoEvidence> {
    const all: Listed[] = [];
    for (const follower of followers) {
      const listed = await list(follower);
      if ('kind' in listed) return listed;
      all.push(...listed);
    }
    return all;
  }
}
