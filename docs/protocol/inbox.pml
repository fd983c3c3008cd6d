/*
 * What comes to a run from outside: the end of its child, a cancellation with a grace. An arrival is written once, then
 * the head is told (one more in its inbox, due now); putting the run down is conditional on the number last read. Whoever
 * ends the child dies between any two writes, and the child's due row keeps the word owed. Nothing here wakes by the
 * clock: waits are for ever, so a word that got lost is a run that never ends.
 * models.md beside this file says which transition stands for which function, and what each mutant breaks.
 *
 * Taken from the other models as proved: fences (a holder, or a look at the head, is still valid or not), and that a run
 * whose time has come is claimed some time.
 */

/* Faults and other things that happen at most so often, at any time. */
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef TAKEOVERS
#define TAKEOVERS 1
#endif
/* What comes. */
#ifndef CHILD
#define CHILD 1
#endif
#ifndef CANCEL
#define CANCEL 1
#endif
/* How often a worker puts the run down for a time of its own, whatever has arrived (the sleep call, a retry). */
#ifndef SLEEPS
#define SLEEPS 0
#endif

#define ENDER 0
#define SWEEPER 1
#define CLIENT 2

mtype = { RUNNING, DOWN, ENDED };

/* The parent's head: whether its time has come, arrivals so far, whether a grace ends, and whether its row comes up then. */
mtype st = DOWN;
bool now = true;
byte inbox;
bool cancelAt;
bool rowByThen;

/* Its partition. */
bool childArrived;
bool cancelArrived;
bool outcome;

/* The child: ended, and still in the due index. */
bool childEnded;
bool owes;

bool holds[2];
bool same[3];

byte crashes = CRASHES;
byte takeovers = TAKEOVERS;
byte sleeps = SLEEPS;

/* The properties, by name: the report shows the one that is broken. */
hidden byte childSeenOnce, childSeenWhenEnded;
#define must(property, condition) assert((condition) || property)

#define CRASH atomic { crashes > 0 -> crashes--; goto dead }

/* Whoever looked at the head before has to look again. */
inline changed() {
  same[ENDER] = false;
  same[SWEEPER] = false;
  same[CLIENT] = false
}

proctype Worker(byte me) {
  byte count;
  bool child, cancel;

idle:
  atomic { count = 0; child = false; cancel = false }
  if
  :: st == ENDED -> goto done
  :: atomic { st == DOWN && now -> st = RUNNING; now = false; holds[me] = true; count = inbox; changed() }
  fi;

read:
  /* The number as of the claim, or of a strong read of the head; then the arrivals, unless there never was one. */
  if
  :: CRASH
  :: count == 0
  :: atomic { count > 0 -> child = childArrived; cancel = cancelArrived }
  fi;
#ifdef COUNT_AFTER_ARRIVALS
  atomic { count = inbox };
#endif

  if
  :: cancel -> goto finish
  :: child -> goto record
  :: !child && !cancel
  fi;
  if
  :: CRASH
  /* The same put-down for the worker's own reasons. */
  :: atomic {
       sleeps > 0 -> sleeps--;
       if
       :: holds[me] ->
          st = DOWN; holds[me] = false; changed();
#ifdef SLEEP_FORGETS_CANCEL
          rowByThen = false;
#endif
          goto idle
       :: else -> goto idle
       fi
     }
  :: atomic {
       if
#ifdef SUSPEND_UNCONDITIONAL
       :: holds[me] ->
#else
       :: holds[me] && inbox == count ->
#endif
          st = DOWN; holds[me] = false; changed(); goto idle
       :: !holds[me] -> goto idle
       :: else
       fi
     }
  fi;
  /* Refused: something has arrived. */
  atomic {
    if
    :: holds[me] -> count = inbox; goto read
    :: else -> goto idle
    fi
  }

record:
  /* The step of the child gets its outcome, first writer wins. */
  if
  :: CRASH
  :: atomic {
       must(childSeenWhenEnded, childEnded);
#ifdef NO_WRITE_ONCE
       must(childSeenOnce, !outcome);
       outcome = true
#else
       if
       :: !outcome -> outcome = true
       :: else
       fi
#endif
     }
  fi;

finish:
  if
  :: CRASH
  :: atomic {
       if
       :: holds[me] -> st = ENDED; holds[me] = false; changed()
       :: else
       fi
     }
  fi;
  goto idle;

dead:
  atomic { holds[me] = false; goto idle }
done:
  skip
}

/* First the write-once arrival, then the head that points to it. */
#define ARRIVE(arrived) arrived = true
#define NOTIFY(more)                                                     \
  do                                                                     \
  :: atomic { st != ENDED -> same[me] = true };                          \
     if                                                                  \
     :: CRASH                                                            \
     :: atomic {                                                         \
          if                                                             \
          :: same[me] ->                                                 \
             same[me] = false; inbox++; WAKE; more; changed(); break     \
          :: else -> LOST_TO_ANOTHER                                     \
          fi                                                             \
        }                                                                \
     fi                                                                  \
  :: st == ENDED -> break                                                \
  od
#ifdef NOTIFY_DOES_NOT_WAKE
#define WAKE skip
#else
#define WAKE now = (st == DOWN)
#endif
#ifdef NOTIFY_GIVES_UP
#define LOST_TO_ANOTHER break
#else
#define LOST_TO_ANOTHER skip
#endif

/* Pays what an ended run owes; only then it leaves the due index. */
inline settle() {
#ifdef SETTLED_BEFORE_TOLD
  owes = false;
#endif
#ifdef NOTIFY_BEFORE_ARRIVAL
  NOTIFY(skip);
  if
  :: CRASH
  :: ARRIVE(childArrived)
  fi;
#else
  if
  :: CRASH
  :: ARRIVE(childArrived)
  fi;
  NOTIFY(skip);
#endif
  if
  :: CRASH
  :: owes = false
  fi
}

#if CHILD
proctype Child() {
  byte me = ENDER;
#ifdef NO_ROW_OWED
  atomic { childEnded = true }
#else
  atomic { childEnded = true; owes = true }
#endif
  settle();
dead:
  skip
}
proctype Sweeper() {
  byte me = SWEEPER;
look:
  if
  :: st == ENDED -> goto done
  :: owes
  fi;
  settle();
  goto look;
dead:
  goto look;
done:
  skip
}
#endif

#if CANCEL
proctype Client() {
  byte me = CLIENT;
  /* A run that nobody has begun is cancelled at once. */
  if
  :: st == RUNNING || inbox > 0 || !now || st == ENDED
  fi;
again:
  ARRIVE(cancelArrived);
  NOTIFY(cancelAt = true; rowByThen = true);
  goto done;
dead:
  /* It was told nothing, so it asks again. */
  goto again;
done:
  skip
}
#endif

proctype Watchdog() {
  do
  :: st == ENDED -> break
  /* A lease lapses when its owner is gone, and a few times when the owner is only slow. */
  :: atomic { st == RUNNING && !holds[0] && !holds[1] -> st = DOWN; now = true; changed() }
  :: atomic {
       st == RUNNING && (holds[0] || holds[1]) && takeovers > 0 ->
       takeovers--; st = DOWN; now = true; holds[0] = false; holds[1] = false; changed()
     }
  /* The grace has ended, and the row says so. */
  :: atomic { st != ENDED && cancelAt && rowByThen -> st = ENDED; holds[0] = false; holds[1] = false; changed() }
  od
}

init {
  atomic {
    run Worker(0);
    run Worker(1);
    run Watchdog();
#if CHILD
    run Child();
    run Sweeper();
#endif
#if CANCEL
    run Client()
#endif
  }
}

ltl ends { <> (st == ENDED) }
