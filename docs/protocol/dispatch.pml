/*
 * How a run gets to a worker: the item is the truth, a message is a hint, a row of the due index is a hint that lags.
 * Messages are lost, doubled, delayed and delivered early; workers and watchdogs die anywhere, the watchdog between push
 * and send too; two copies of the watchdog run. A time is ahead or has come, and comes whenever it likes: nothing here
 * depends on how long anything takes, or on clocks that agree.
 * models.md beside this file says which transition stands for which function, and what each mutant breaks.
 *
 * Fences are taken from lease.pml as proved: a holder, or a look at the item, is simply still valid or not.
 */

#ifndef WORKERS
#define WORKERS 2
#endif
/* Faults and other things that happen at most so often, at any time. */
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef DOUBLES
#define DOUBLES 1
#endif
#ifndef EARLIES
#define EARLIES 1
#endif
#ifndef SLEEPS
#define SLEEPS 1
#endif
#ifndef SLOWS
#define SLOWS 1
#endif
/* More messages than this say no more. */
#define MAX_MESSAGES 2

mtype = { PENDING, RUNNING, ENDED };

/* The item. A sleeping run is a pending one whose time has not come. */
mtype st = PENDING;
bool row = true;
bool due;
bool early;
bool lapsed;

/* Its row as queries see it. */
bool rowSeen;
bool rowDue;
bool lags = true;

/* Messages that can be delivered, and such as wait for the run's time. */
byte ready;
byte later;

/* Who holds it; whether what a watchdog read is still so. */
bool holds[2];
bool sameEpoch[2];
bool sameDue[2];
/* Whether a watchdog has sent for this due time without having moved it. */
bool spent;

byte crashes = CRASHES;
byte losses = LOSSES;
byte doubles = DOUBLES;
byte earlies = EARLIES;
byte sleeps = SLEEPS;
byte slows = SLOWS;

/* The properties, by name: the report shows the one that is broken. */
hidden byte everyRunHasARow, neverEarly, onePushPerDueTime, oneSendPerDueTime, actsOnTheItem;
#define must(property, condition) assert((condition) || property)

/* The due time is moved: ahead, whatever the clocks make of it. */
inline moved() {
  due = false;
  lags = true;
  spent = false;
  sameDue[0] = false;
  sameDue[1] = false
}
inline changed() {
  sameEpoch[0] = false;
  sameEpoch[1] = false;
  must(everyRunHasARow, st == ENDED || row)
}

inline send(box) {
  box = (box < MAX_MESSAGES -> box + 1 : box)
#ifdef ROW_LEAVES_WITH_MESSAGE
  ; row = false; moved(); changed()
#endif
}
/* Whoever dies before it has sent leaves it to the row. */
inline dispatch(box) {
  if
  :: atomic { crashes > 0 -> crashes-- }
  :: atomic { true -> send(box) }
  fi
}

proctype Worker(byte me) {
idle:
  if
  :: st == ENDED -> goto done
  :: atomic { ready > 0 -> ready-- }
  fi;
  if
  /* Dead before its claim: the message comes again, or has been delivered too often. */
  :: atomic { crashes > 0 -> crashes--; goto idle }
  :: atomic { crashes > 0 -> crashes--; send(ready); goto idle }
  :: atomic {
       if
#ifdef NO_TIME_CONDITION
       :: st == PENDING ->
#else
       :: st == PENDING && early -> send(later); goto idle
       :: st == PENDING && !early ->
#endif
          must(neverEarly, !early);
          st = RUNNING; holds[me] = true; lapsed = false;
#ifdef CLAIM_DROPS_ROW
          row = false; moved();
#endif
          changed()
       :: st != PENDING -> goto idle
       fi
     }
  fi;
  if
  :: atomic { crashes > 0 -> crashes--; holds[me] = false; goto idle }
  :: atomic { holds[me] -> holds[me] = false; st = ENDED; row = false; moved(); changed(); goto idle }
  :: atomic { holds[me] && sleeps > 0 -> sleeps--; holds[me] = false; st = PENDING; early = true; moved(); changed() }
  /* Lost: it stops quietly. */
  :: !holds[me] -> goto idle
  fi;
  dispatch(later);
  goto idle;
done:
  skip
}

/* What a watchdog finds: the row alone, and what the item says when it is read. */
#define ROW_DUE (rowSeen && rowDue && st != ENDED)
#ifdef ACTS_ON_ROW
#define FOUND ROW_DUE
#define LAPSED true
#else
#define FOUND (ROW_DUE && row && due)
#define LAPSED lapsed
#endif

proctype Watchdog(byte me) {
look:
  atomic { sameEpoch[me] = false; sameDue[me] = false }
  if
  :: st == ENDED -> goto done
  :: atomic {
       FOUND -> sameEpoch[me] = true; sameDue[me] = true;
       if
       :: st == RUNNING && LAPSED -> must(actsOnTheItem, due && lapsed); goto recover
       :: st == PENDING && !early -> goto resend
       :: else
       fi
     }
  fi;
  /* Nothing is amiss: its row comes up again when something could be. */
  atomic {
    if
    :: sameEpoch[me] && sameDue[me] -> moved()
    :: else
    fi;
    goto look
  }

recover:
  atomic {
    if
    :: sameEpoch[me] -> st = PENDING; early = false; holds[0] = false; holds[1] = false; moved(); changed()
    :: else -> goto look
    fi
  }
  dispatch(ready);
  goto look;

resend:
#ifdef SEND_BEFORE_PUSH
  atomic { must(oneSendPerDueTime, !spent); spent = true; send(ready) }
#endif
  atomic {
    if
#ifdef NO_DUE_CONDITION
    :: sameEpoch[me] ->
#else
    :: sameEpoch[me] && sameDue[me] ->
#endif
       must(onePushPerDueTime, due); moved()
    :: else -> goto look
    fi
  }
#if !defined(SEND_BEFORE_PUSH) && !defined(NO_RESEND)
  dispatch(ready);
#endif
  goto look;
done:
  skip
}

/* The rows follow their items. */
proctype Index() {
end:
  do
  :: atomic { lags && st != ENDED -> rowSeen = row; rowDue = due; lags = false }
  od
}

proctype Network() {
end:
  do
  :: atomic { st != ENDED && later > 0 && !early -> later--; send(ready) }
  :: atomic { st != ENDED && later > 0 && early && earlies > 0 -> earlies--; later--; send(ready) }
  :: atomic { st != ENDED && ready > 0 && losses > 0 -> losses--; ready-- }
  :: atomic { st != ENDED && later > 0 && losses > 0 -> losses--; later-- }
  :: atomic { st != ENDED && ready > 0 && doubles > 0 -> doubles--; send(ready) }
  od
}

/* Times come, each by itself. A row that lags may come up before its item does. */
proctype DueTime() {
end:
  do
  :: atomic { row && !due && st != ENDED -> due = true; rowDue = (lags -> rowDue : true) }
  :: atomic { rowSeen && lags && !rowDue && st != ENDED -> rowDue = true }
  od
}
proctype WakeTime() {
end:
  do
  :: atomic { early && st != ENDED -> early = false }
  od
}
/* A living holder renews in time, but for a few times when it is too slow. */
proctype LeaseEnd() {
end:
  do
  :: atomic { st == RUNNING && !lapsed && !holds[0] && !holds[1] -> lapsed = true }
  :: atomic { st == RUNNING && !lapsed && (holds[0] || holds[1]) && slows > 0 -> slows--; lapsed = true }
  od
}

init {
  atomic {
    /* Started for now or for later; who started it may have died before it sent a message. */
    if
    :: true
    :: early = true
    fi;
    if
    :: true
    :: early -> later = 1
    :: !early -> ready = 1
    fi;
#ifdef NO_ROW_AT_START
    row = false;
#endif
    run Worker(0);
#if WORKERS > 1
    run Worker(1);
#endif
    run Watchdog(0);
    run Watchdog(1);
    run Index();
    run Network();
    run DueTime();
    run WakeTime();
    run LeaseEnd()
  }
}

ltl ends { <> (st == ENDED) }
