import sys; sys.path.insert(0,'/work/main/src')
import numpy as np
from tcpgoodput.models.packet_trains.channel import Channel
from tcpgoodput.models.packet_trains.cycle import stationary_cycle, throughput_pps
from functools import lru_cache
@lru_cache(None)
def cyc(v,a,b,W,om): return stationary_cycle(Channel(a,b),v,W,om)
def M(v,a,b,m,T,tau=.5,om=3):
    c=cyc(v,a,b,m+1,om); return throughput_pps(c,T,tau,c.window)*T/m
V=['oldtahoe','tahoe','newreno','sack']
print('1 sack best rel excess of others')
def exc(a,b,m,T,tau=.5,vs=V[:3]): 
    s=M('sack',a,b,m,T,tau); return max((M(v,a,b,m,T,tau)-s)/s for v in vs)
B10=[.05,.1,.2,.3,.4,.5,.6,.8,.95]
for a in (1e-5,1e-4,1e-3,.01,.04): print(' fig10 m5 a',a,[round(exc(a,b,5,.01,vs=V[1:3]),4) for b in B10])
BB=np.geomspace(.001,1,31)
BB[-1]=.999999
for m in (50,100):
  for a in (1e-5,1e-4,1/m**2): 
    e=[M(v,a,b,m,.05)-M('sack',a,b,m,.05) for b in BB for v in V[:3]]; r=[exc(a,b,m,.05) for b in BB]; print(' fig8/9',m,a,'abs max %.4f rel %.4f'%(max(e),max(r)))
AA=np.geomspace(1e-4,.1,25)
for b in (.02,.05,.1,.2,.5,.8):
  print(' fig2 b',b,'%.4f'%max(exc(a,b,20,.01) for a in AA),'fig5 %.4f fig6 %.4f'%(max(exc(a,b,20,.02,.05) for a in AA),max(exc(a,b,20,.01,.05) for a in AA)))
for b in (.2,.8): print(' fig3 link b',b,'%.4f'%max(exc(a,b,10,.02,vs=V[1:3]) for a in AA),'fig7 %.4f'%max(exc(a,b,25,.1) for a in AA))
print('2 better with beta: NewReno min rise')
for v in V:
  for m in (10,20,50,100):
    for a in (1e-5,1e-4,1e-3):
      x=np.array([M(v,a,b,m,.05 if m>=50 else .02) for b in BB]); d=np.diff(x)/x.max(); print('  ',v,m,a,'min step %.5f'%d.min(), 'max drop from running max %.4f'%((np.maximum.accumulate(x)-x)/np.maximum.accumulate(x)).max()) if d.min()<0 else None
print('3 NR<T fig2 link'); 
A=[a for a in AA if a<=1.01e-3]
for b in (.005,.01,.015,.02,.03,.05,.1): 
  x=[(M('tahoe',a,b,20,.01)-M('newreno',a,b,20,.01))/M('tahoe',a,b,20,.01) for a in A]; print('  ',b,'share %.2f'%np.mean(np.array(x)>0),np.round(x,4)[[0,4,-1]])
print('3b fig5 NR<OT, tau .05/.04; fig6')
for b in (.01,.02,.05,.1,.2): print('  ',b,['%.2f'%np.mean([M('newreno',a,b,20,T,t)<M('oldtahoe',a,b,20,T,t) for a in A]) for T,t in ((.02,.05),(.02,.04),(.01,.05),(.01,.02))])
print('3c equal products rel b'); 
for b in (.02,.05,.1,.2):
  print('  ',b,[ '%.3f'%max(abs(M(v,a,b,20,.02,.05)-M(v,a,b,20,.01,.05))/M(v,a,b,20,.02,.05) for a in AA if a<=.0026) for v in V])
print('4 versions differ less: rel and abs')
for b in (.05,.1,.2,.8):
  for vs in (V,V[1:]):
    print('  ',b,len(vs),[(a,'abs %.4f rel %.3f'%(max(x)-min(x),(max(x)-min(x))/max(x))) for a in (1e-4,1e-3,.01,.1) for x in [[M(v,a,b,20,.01) for v in vs]]], )
print('5 robust from the condition on'); 
for v in ('sack','tahoe'):
  for m in (50,100):
    for a in (1e-5,1e-4,1/m**2):
      for k in (1,2):
        x=[M(v,a,b,m,.05) for b in BB if b>k*2/m*.999]; print('  ',v,m,'%.5f'%a,'x%d'%k,'%.3f'%((max(x)-min(x))/max(x)))
print('6 newreno-above-tahoe iid'); 
for m,T in ((5,.01),(10,.02),(20,.01),(50,.05),(100,.05)):
  print('  ',m,['%.4f'%((M('newreno',a,1-a,m,T)-M('tahoe',a,1-a,m,T))/M('tahoe',a,1-a,m,T)) for a in (1e-5,1e-4,1e-3,1e-2,.05,.1)])
print('7 cond fig10'); 
for a in (1e-5,1e-4,1e-3,.01,.04):
  print('  ',a,['%.3f'%(np.mean([M(v,a,b,5,.01) for b in (.05,.1,.15,.2,.25,.3,.35)])/np.mean([M(v,a,b,5,.01) for b in (.45,.5,.6,.7,.8,.9,.95)])) for v in V])
print('8 first condition x2,x10, other links'); 
for m,T,b in ((5,.01,.5),(10,.02,.2),(25,.1,.2),(50,.05,.1),(100,.05,.1)): print('  ',m,[['%.3f'%(M(v,k/m**2,b,m,T)/M(v,1/m**2,b,m,T)) for k in (2,10)] for v in V])
print('9 second cond'); 
for m,T in ((5,.01),(10,.02),(20,.02),(25,.1),(50,.05),(100,.05)): print('  ',m,[['%.3f'%(M(v,a,.2/m,m,T)/M(v,a,2/m,m,T)) for a in (1e-4,1e-3)] for v in V])
