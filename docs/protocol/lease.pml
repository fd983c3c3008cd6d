/*
 * The lease of one run: claim, renewal, takeover, putting down, completion, cancellation; write-once step results.
 * Workers die, freeze for any time (every interleaving is a freeze) and go on as zombies; answers of applied writes
 * get lost; a run that has ended is started again under its id. The faults are bounded, their places are not.
 * models.md beside this file says which transition stands for which function, and what each mutant breaks.
 *
 * -DPOLL: workers over HTTP (begin, complete, look again) instead of direct ones (one put per step).
 */

#define WATCHDOG 3
#define CLIENT 4

#ifndef STEPS
#define STEPS 2
#endif
/* Faults and other things that happen at most so often, at any time. */
#ifndef KILLS
#define KILLS 1
#endif
#ifndef TAKEOVERS
#define TAKEOVERS 1
#endif
#ifndef LOST
#define LOST 1
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef PUTDOWNS
#define PUTDOWNS 1
#endif
#ifndef RELEASES
#define RELEASES 0
#endif
#ifndef POISONS
#define POISONS 1
#endif
#ifndef CANCELS
#define CANCELS 1
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif

mtype = { PENDING, RUNNING, COMPLETED, FAILED, CANCELLED };

/*
 * The head. Tokens and write ids are unguessable: all that counts is whether one is still its maker's latest, so each
 * is the number of the process that made it, and 0 once that process has made another.
 */
mtype st = PENDING;
byte inc;
byte ep;
byte token;
byte stamp;

/* The steps of both incarnations. A result is told from others by the epoch of the lease it was recorded under. */
byte rec[2 * STEPS];
bool failed[2 * STEPS];
byte begun[2 * STEPS];

byte kills = KILLS;
byte takeovers = TAKEOVERS;
byte lost = LOST;
byte failures = FAILURES;
byte putdowns = PUTDOWNS;
byte releases = RELEASES;
byte poisons = POISONS;
byte restarts = RESTARTS;
byte oldMessages = RESTARTS;

/* For the properties alone, and for when a lease lapses: who lives and holds what. */
byte holder;
bool acked;
byte heldInc[3];
byte heldEp[3];

#define ENDED (st == COMPLETED || st == FAILED || st == CANCELLED)
#define OVER (ENDED && restarts == 0)
#define HELD_BY(w) (heldEp[w] == ep && heldInc[w] == inc)
#define ORPHAN (st == RUNNING && !HELD_BY(1) && !HELD_BY(2))
/* Whoever gave it back, its row wakes it: a release that was taken for lost costs a message, not the run. */
#define GIVEN_BACK (st == PENDING && ep == e + 1)
#define HOLDS (st == RUNNING && inc == i && ep == e)
#define STEP (i * STEPS + s)
#define LAST (i * STEPS + STEPS - 1)
#if STEPS == 1
#define RECORDED (rec[LAST] != 0)
#else
#define RECORDED ((rec[i * STEPS] != 0) + 2 * (rec[LAST] != 0))
#endif

/* What a later write to the head must still find there. */
#ifdef NO_INCARNATION
#define INCARNATION true
#else
#define INCARNATION (inc == i)
#endif
#if defined(NO_EPOCH)
#define EPOCH true
#elif defined(OWNER_FOR_EPOCH)
/* Both workers go by the same name. */
#define EPOCH (token != 0)
#else
#define EPOCH (ep == e)
#endif
#ifdef NO_STATUS
#define LEAVES(from) true
#else
#define LEAVES(from) (from)
#endif
#define FENCE(from) (INCARNATION && EPOCH && LEAVES(from))

#ifdef CLAIM_KEEPS_EPOCH
#define CLAIMED_EPOCH ep
#else
#define CLAIMED_EPOCH (ep + 1)
#endif
#ifdef TAKEOVER_KEEPS_EPOCH
#define TAKEN_EPOCH e
#else
#define TAKEN_EPOCH (e + 1)
#endif
#ifdef POISON_KEEPS_EPOCH
#define POISONED_EPOCH e
#define BY_POISON BY_EPOCH(FAILED)
#else
#define POISONED_EPOCH (e + 1)
#define BY_POISON false
#endif

/* How a write is recognised as one's own, besides by its write id. */
#define BY_TOKEN (st == RUNNING && inc == i && token == me)
#define BY_EPOCH(to) (inc == i && ep == e && st == to)
#ifdef AMBIGUOUS_IS_LOSS
#define OWN(by) false
#else
#define OWN(by) (stamp == me || (by))
#endif

/* The properties, by name: the report shows the one that is broken. */
hidden byte terminalIsFinal, cancelIsKept, epochsNeverFall, fencedWrites, oneHolder, ownIsOwn, lostIsLost;
hidden byte resultsNeverChange, losersAdopt, noBodyAfterResult, noProofAfterCancel, failuresAreProved;
#define must(property, condition) assert((condition) || property)

inline move(to, epoch) {
  must(terminalIsFinal, !ENDED);
  must(cancelIsKept, !acked);
  must(epochsNeverFall, epoch >= ep);
  st = to;
  ep = epoch;
  token = 0;
  holder = 0
}

inline fenced() {
  must(fencedWrites, inc == i && ep == e)
}
inline byHolder() {
  fenced();
  must(oneHolder, holder == me)
}

/*
 * One conditional write of the head, sent again while its answer is lost. `ok` is what its sender believes then: if so,
 * it was applied; if not, it was not, or others have moved the epoch since. (Macros, because inlines take expressions.)
 */
inline accept() {
  stamp = me;
  applied = true;
  appliedEp = ep;
  ok = true
}
inline answer() {
  must(ownIsOwn, !ok || applied);
  must(lostIsLost, ok || !applied || ep != appliedEp || inc != i || GIVEN_BACK);
  applied = false;
  if
  :: stamp == me -> stamp = 0
  :: else
  fi
}
#define writeHead(condition, change, by)            \
  do                                                \
  :: atomic {                                       \
       if                                           \
       :: condition -> change; accept()             \
       :: else -> ok = OWN(by)                      \
       fi;                                          \
       if                                           \
       :: lost > 0 -> lost--                        \
       :: true -> answer(); break                   \
       fi                                           \
     }                                              \
  od

/* One write of a step, sent again while its answer is lost. The condition fails once it was applied. */
#define writeStep(condition, change)                \
  do                                                \
  :: atomic {                                       \
       if                                           \
       :: condition -> change                       \
       :: else                                      \
       fi;                                          \
       if                                           \
       :: lost > 0 -> lost--                        \
       :: true -> break                             \
       fi                                           \
     }                                              \
  od

inline record(how) {
  must(resultsNeverChange, rec[STEP] == 0);
  rec[STEP] = e;
  failed[STEP] = how
}

/* Ownership is proved: what was recorded by then must not be started on the strength of it. */
inline prove() {
  must(noProofAfterCancel, !acked || inc != i);
  proof = RECORDED
}

proctype Worker(byte me) {
  byte i, e, s, known, proof, seen, appliedEp;
  byte value[STEPS];
  bool ok, applied, owned, younger;

idle:
  atomic {
    heldEp[me] = 0; heldInc[me] = 0;
    i = 0; e = 0; s = 0; known = 0; proof = 0; seen = 0; owned = false; younger = false; ok = false; appliedEp = 0;
    value[0] = 0; value[STEPS - 1] = 0;
    if
    :: token == me -> token = 0
    :: else
    fi
  }
  if
  :: OVER -> goto done
  /* Both are alike: call the first to claim the first. */
  :: atomic { st == PENDING && (me == 1 || ep > 0 || inc > 0) -> i = inc }
  :: atomic { inc == 1 && oldMessages > 0 -> oldMessages-- }
  fi;

  /* The claim. What it returns says which epoch it is. */
  writeHead(INCARNATION && LEAVES(st == PENDING),
    must(fencedWrites, inc == i); move(RUNNING, CLAIMED_EPOCH); token = me; holder = me; heldEp[me] = ep; heldInc[me] = i; prove(),
    BY_TOKEN);
  atomic {
    if
    :: ok -> e = appliedEp
    :: else -> goto idle
    fi
  }
  /* A first claim has nothing to read. */
  atomic {
    if
    :: e > 1 -> known = RECORDED; value[0] = rec[i * STEPS]; value[STEPS - 1] = rec[LAST]
    :: else
    fi
  }

next:
  if
  :: s == STEPS -> goto complete
  :: s < STEPS && (known & (1 << s)) -> goto adopted
  :: else
  fi;

#ifdef POLL
  /* begin: a strong read of the head, then the start is recorded, unless there is a result. */
  if
  :: atomic { kills > 0 -> kills--; goto idle }
  :: atomic { putdowns > 0 -> putdowns--; goto putDown }
  :: atomic { releases > 0 -> releases--; goto release }
  :: atomic { HOLDS -> prove(); seen = 0 }
  :: atomic { !HOLDS -> goto idle }
  fi;
  do
  :: atomic {
       if
       :: rec[STEP] != 0 -> goto adopt
       :: rec[STEP] == 0 && begun[STEP] == e -> break
       :: rec[STEP] == 0 && begun[STEP] > e -> must(oneHolder, !HOLDS); goto idle
       :: rec[STEP] == 0 && begun[STEP] < e && begun[STEP] != seen -> seen = begun[STEP]
       :: rec[STEP] == 0 && begun[STEP] < e && begun[STEP] == seen -> begun[STEP] = e;
          if
          :: lost > 0 -> lost--
          :: true -> break
          fi
       fi
     }
  od;
#else
  /* The proof that lets a body start: still the last one, a strong read of the head, or a renewal. */
  if
  :: atomic { kills > 0 -> kills--; goto idle }
  :: atomic { putdowns > 0 -> putdowns--; goto putDown }
  :: atomic { releases > 0 -> releases--; goto release }
  :: true
#ifdef NO_OWNERSHIP_IN_PROOF
  :: atomic { true -> prove(); younger = true }
#else
  :: atomic { HOLDS -> prove(); younger = true }
  :: atomic { !HOLDS -> goto idle }
#endif
  :: writeHead(FENCE(st == RUNNING), byHolder(); prove(); younger = true, false);
     if
     :: !ok -> goto idle
     :: ok
     fi
  fi;
#ifndef NO_LOOK_AT_STEP
  /* A proof younger than the history: a former owner may have recorded the step in between. */
  atomic {
    if
    :: e > 1 && younger && rec[STEP] != 0 -> goto adopt
    :: else
    fi
  }
#endif
#endif

body:
  must(noBodyAfterResult, !(proof & (1 << s)));
  if
  :: atomic { true -> owned = HOLDS }
  :: atomic { failures > 0 -> failures--; owned = HOLDS; goto finalFailure }
  fi;

#ifdef POLL
  /* complete: written first; acknowledged if the run is still ours after it. */
  writeStep(rec[STEP] == 0 && begun[STEP] == e, record(false));
  atomic {
    if
    :: HOLDS -> must(losersAdopt, rec[STEP] == e)
    :: else -> goto idle
    fi
  }
#elif defined(NO_WRITE_ONCE)
  writeStep(true, record(false));
#else
  writeStep(rec[STEP] == 0, record(false));
#endif
#ifdef LOSER_KEEPS_ITS_OWN
  value[s] = e;
  goto adopted;
#endif

adopt:
  value[s] = rec[STEP];
adopted:
  atomic {
    if
    :: failed[STEP] -> goto fail
    :: !failed[STEP] -> s++; goto next
    fi
  }

finalFailure:
#ifdef POLL
  atomic {
    if
    :: HOLDS -> owned = true
    :: else -> goto idle
    fi
  }
  writeStep(rec[STEP] == 0 && begun[STEP] == e, must(failuresAreProved, owned); record(true));
  atomic {
    if
    :: HOLDS -> must(losersAdopt, rec[STEP] == e)
    :: else -> goto idle
    fi
  }
#else
#ifndef FAIL_WITHOUT_RENEWAL
  writeHead(FENCE(st == RUNNING), byHolder(); owned = true, false);
  if
  :: !ok -> goto idle
  :: ok
  fi;
#endif
  writeStep(rec[STEP] == 0, must(failuresAreProved, owned); record(true));
#endif
  goto adopt;

complete:
  if
  :: atomic { kills > 0 -> kills--; goto idle }
  :: true
  fi;
  writeHead(FENCE(st == RUNNING),
    byHolder(); move(COMPLETED, e); must(losersAdopt, value[0] == rec[i * STEPS] && value[STEPS - 1] == rec[LAST]),
    BY_EPOCH(COMPLETED));
  goto idle;

fail:
  writeHead(FENCE(st == RUNNING), byHolder(); move(FAILED, e), BY_EPOCH(FAILED));
  goto idle;

putDown:
  /* For the next attempt of a step; a sleep differs in its status alone. */
  writeHead(FENCE(st == RUNNING), byHolder(); move(PENDING, e), BY_EPOCH(PENDING));
  goto idle;

release:
  writeHead(FENCE(st == RUNNING), byHolder(); move(PENDING, TAKEN_EPOCH), false);
  goto idle;

done:
  skip
}

proctype Watchdog() {
  byte me = WATCHDOG;
  byte i, e, appliedEp;
  bool ok, applied;

look:
  if
  :: OVER -> goto done
#ifndef NO_RECOVERY
  /* A lease lapses when its owner is gone, and a few times when the owner is only slow. */
  :: atomic { ORPHAN -> i = inc; e = ep }
  :: atomic { st == RUNNING && !ORPHAN && takeovers > 0 -> takeovers--; i = inc; e = ep }
#endif
  /* The due time of a waiting run is pushed, which leaves another stamp. */
  :: atomic { st == PENDING && stamp != 0 -> stamp = 0; goto look }
  :: atomic {
       ENDED && restarts > 0 ->
       restarts--; inc++; st = PENDING; ep = 0; token = 0; stamp = 0; acked = false;
       goto look
     }
  fi;
  if
  :: writeHead(FENCE(st == RUNNING), fenced(); move(PENDING, TAKEN_EPOCH), false)
  :: atomic { poisons > 0 -> poisons-- };
     writeHead(FENCE(st == RUNNING), fenced(); move(FAILED, POISONED_EPOCH), BY_POISON)
  fi;
  atomic { i = 0; e = 0; ok = false; appliedEp = 0 }
  goto look;
done:
  skip
}

proctype Client() {
  byte me = CLIENT;
  byte i, e, appliedEp;
  bool ok, applied;

look:
  atomic {
    if
    :: ENDED -> goto done
    :: else -> i = inc; e = ep
    fi
  }
  writeHead(FENCE(st == PENDING || st == RUNNING), fenced(); move(CANCELLED, e + 1), false);
  atomic {
    if
    :: ok && inc == i -> acked = true
    :: ok && inc != i
    :: !ok -> goto look
    fi
  }
done:
  skip
}

init {
  atomic {
    run Worker(1);
    run Worker(2);
    run Watchdog();
#if CANCELS > 0
    run Client()
#endif
  }
}

ltl ends { <> OVER }
